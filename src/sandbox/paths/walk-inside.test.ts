import { execFileSync } from "node:child_process"
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { identifyPath, isUnchanged } from "./known-path.ts"
import { lookInside, openFile, openFileInside } from "./walk-inside.ts"

let base: string
let top: string
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "toolkeep-walk-"))
  top = join(base, "top")
  mkdirSync(join(top, "dir"), { recursive: true })
  writeFileSync(join(base, "secret"), "outside")
  writeFileSync(join(top, "secret"), "inside")
  writeFileSync(join(top, "dir/file"), "inside")
  const links = {
    absolute: "/secret",
    up: "../secret",
    "dir/far-up": "../../../../secret",
    loop: "loop",
    chain: "dir/../absolute",
    machine: join(base, "secret"),
    process: "/proc/self/cwd",
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(top, name))
  execFileSync("mkfifo", [join(top, "pipe")])
})
afterAll(() => rmSync(base, { recursive: true }))

function read(path: string): string | null {
  const file = openFileInside(top, path)
  if (!file) return null
  try {
    return readFileSync(file.fd, "utf8")
  } finally {
    closeSync(file.fd)
  }
}

describe("a path inside a directory", () => {
  it.each([
    "absolute",
    "up",
    "dir/far-up",
    "chain",
    "../secret",
    "/secret",
    "dir/../../secret",
    "dir//./file",
  ])("O30: %j leads to a file inside, as if the directory were the root", (path) =>
    expect(read(path)).toBe("inside"),
  )

  it.each([
    "machine",
    "loop",
    "process",
    "pipe",
    "dir",
    "secret/",
    "secret/x",
    "x",
    "",
    "a\0b",
    "x/".repeat(5_000),
  ])("O30: %j is no file, and nothing is waited for", (path) => expect(read(path)).toBe(null))

  it("O30: a pipe and a device are looked at and never opened", () => {
    expect(lookInside(top, "pipe")?.isFIFO()).toBe(true)
    expect([openFile(join(top, "pipe")), openFile("/dev/zero")]).toEqual([null, null])
  })
})

describe("a known place", () => {
  it("C18: is another one when something else has its name, also a new one of the same kind", () => {
    const path = join(base, "place")
    mkdirSync(path)
    const known = identifyPath(path)
    if (!known) throw new Error("A directory that was just made is there.")
    expect(isUnchanged(known)).toBe(true)
    for (const change of [
      () => mkdirSync(path),
      () => symlinkSync(top, path),
      () => writeFileSync(path, ""),
      () => {},
    ]) {
      rmSync(path, { recursive: true, force: true })
      change()
      expect(isUnchanged(known)).toBe(false)
    }
  })
})
