import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { createDisk } from "./virtual-disk.ts"

/** What both file systems can be asked; paths are relative to a fresh directory. */
interface Files {
  write(path: string, text: string): void
  append(path: string, text: string): void
  read(path: string): string
  list(path: string): string[]
  stat(path: string): string
  lstat(path: string): string
  makeDirectory(path: string): void
  makeDirectories(path: string): void
  removeFile(path: string): void
  removeTree(path: string): void
  rename(from: string, to: string): void
  link(from: string, to: string): void
  symlink(target: string, path: string): void
  readLink(path: string): string
  realPath(path: string): string
}

function realFiles(root: string): Files {
  const at = (path: string) => join(root, path)
  const describe = (stat: fs.Stats) => {
    const type = stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "symlink" : "file"
    return `${type} ${type === "file" ? stat.size : ""}`
  }
  return {
    write: (path, text) => fs.writeFileSync(at(path), text),
    append: (path, text) => fs.appendFileSync(at(path), text),
    read: (path) => fs.readFileSync(at(path), "utf8"),
    list: (path) => fs.readdirSync(at(path)).sort(),
    stat: (path) => describe(fs.statSync(at(path))),
    lstat: (path) => describe(fs.lstatSync(at(path))),
    makeDirectory: (path) => fs.mkdirSync(at(path)),
    makeDirectories: (path) => void fs.mkdirSync(at(path), { recursive: true }),
    removeFile: (path) => fs.unlinkSync(at(path)),
    removeTree: (path) => fs.rmSync(at(path), { recursive: true }),
    rename: (from, to) => fs.renameSync(at(from), at(to)),
    link: (from, to) => fs.linkSync(at(from), at(to)),
    symlink: (target, path) => fs.symlinkSync(target, at(path)),
    readLink: (path) => fs.readlinkSync(at(path)),
    realPath: (path) => fs.realpathSync(at(path)).slice(fs.realpathSync(root).length),
  }
}

function virtualFiles(): Files {
  const disk = createDisk(1_000_000)
  const root = "/home/user/run/user"
  disk.makeDirectory(root, { parents: true })
  const at = (path: string) => `${root}/${path}`
  const encode = (text: string) => new TextEncoder().encode(text)
  const describe = ({ type, size }: { type: string; size: number }) =>
    `${type} ${type === "file" ? size : ""}`
  return {
    write: (path, text) => disk.write(at(path), encode(text)),
    append: (path, text) => disk.append(at(path), encode(text)),
    read: (path) => new TextDecoder().decode(disk.read(at(path))),
    list: (path) => disk.list(at(path)).map(({ name }) => name),
    stat: (path) => describe(disk.stat(at(path))),
    lstat: (path) => describe(disk.lstat(at(path))),
    makeDirectory: (path) => disk.makeDirectory(at(path), { parents: false }),
    makeDirectories: (path) => disk.makeDirectory(at(path), { parents: true }),
    removeFile: (path) => {
      if (disk.lstat(at(path)).type === "directory")
        throw Object.assign(new Error(), { code: "EISDIR" })
      disk.remove(at(path), { recursive: false, force: false })
    },
    removeTree: (path) => disk.remove(at(path), { recursive: true, force: false }),
    rename: (from, to) => disk.rename(at(from), at(to)),
    link: (from, to) => disk.link(at(from), at(to)),
    symlink: (target, path) => disk.symlink(target, at(path)),
    readLink: (path) => disk.readLink(at(path)),
    realPath: (path) => disk.realPath(at(path)).slice(root.length),
  }
}

type Step = [keyof Files, ...string[]]

function answer(files: Files, [call, ...parameters]: Step): unknown {
  try {
    return { value: Reflect.apply(files[call], files, parameters) ?? null }
  } catch (error) {
    return { code: (error as { code?: unknown }).code ?? String(error) }
  }
}

const name = fc.constantFrom("a", "b", "c", "d")
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"))
const target = fc.oneof(path, fc.constantFrom("..", "../a", ".", "../../user/b", "missing/x"))
const text = fc.constantFrom("", "1", "22", "long text")
const one = (call: keyof Files) => path.map((at): Step => [call, at])
const two = (call: keyof Files) => fc.tuple(path, path).map(([from, to]): Step => [call, from, to])
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(path, text).map(([at, content]): Step => ["write", at, content]),
  fc.tuple(path, text).map(([at, content]): Step => ["append", at, content]),
  fc.tuple(target, path).map(([to, at]): Step => ["symlink", to, at]),
  ...(
    ["makeDirectory", "makeDirectory", "makeDirectories", "removeFile", "removeTree"] as const
  ).map(one),
  ...(["read", "list", "stat", "lstat", "readLink", "realPath"] as const).map(one),
  ...(["rename", "rename", "link"] as const).map(two),
)

it("F18: answers as a real file system does, value for value and error for error", () => {
  const base = fs.mkdtempSync(join(tmpdir(), "toolkeep-disk-"))
  try {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 25 }), (steps) => {
        const home = fs.mkdtempSync(join(base, "run-"))
        // Laid out alike, so that ".." leads to the same places.
        const root = join(home, "user")
        fs.mkdirSync(root)
        const real = realFiles(root)
        const virtual = virtualFiles()
        for (const each of steps) {
          expect([each, answer(virtual, each)]).toEqual([each, answer(real, each)])
        }
      }),
      { numRuns: 300 },
    )
  } finally {
    fs.rmSync(base, { recursive: true, force: true })
  }
})
