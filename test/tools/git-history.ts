import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { unpackTar } from "modern-tar"
import { createRandom, type Random } from "../fuzz/random.ts"

/** A repository with a random history, made by git itself. */
export interface GitHistory extends Disposable {
  /** The first commit is empty. */
  readonly commits: readonly string[]
  readonly git: (...args: readonly string[]) => Buffer
}

/** What is at a path of a tree: its mode and bytes, or where a link leads. */
export type Tree = Readonly<Record<string, string>>

const names = [
  ...["a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt", "with space.txt", "sub dir/e f.txt"],
  ...[
    "tab\tin.txt",
    'quo"te.txt',
    "back\\slash.txt",
    "umläut.txt",
    "日本/語.txt",
    "line\nbreak.txt",
  ],
  ...["a/x", "b/x", "trailing ", "-dash", "😀.txt", "x b/x.txt", "deep/er/and/er.txt"],
]

export function gitHistory(seed: number, length: number): GitHistory {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-git-"))
  const directory = join(home, "repository")
  mkdirSync(directory)
  const git = (...args: readonly string[]) => runGit(home, directory, args)
  git("init", "--quiet")
  const random = createRandom(seed)
  const commits: string[] = []
  const commit = () => {
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "--message", `change ${commits.length}`)
    commits.push(git("rev-parse", "HEAD").toString().trim())
  }
  commit()
  for (let at = 0; at < 8; at += 1) addFile(directory, random)
  prepareEach(join(directory, "each"))
  commit()
  changeEach(join(directory, "each"))
  commit()
  while (commits.length < length) {
    for (let left = 1 + random.below(5); left > 0; left -= 1) {
      random.pick(changes)(directory, random)
    }
    commit()
  }
  return {
    commits,
    git,
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

function runGit(home: string, directory: string, args: readonly string[]): Buffer {
  const settings = [
    ...[
      "user.name=A",
      "user.email=a@example.com",
      "init.defaultBranch=main",
      "core.autocrlf=false",
    ],
    ...["diff.renameLimit=0", "tar.umask=0022", "commit.gpgSign=false", "gc.auto=0"],
  ].flatMap((setting) => ["-c", setting])
  const { stdout, stderr, status, error } = spawnSync("git", [...settings, ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" },
    maxBuffer: 64 * 1024 ** 2,
  })
  if (error) throw new Error("This test needs git: apt-get install git.", { cause: error })
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
  return stdout
}

/** The files and links of a tar, without its directories. */
export async function treeOf(archive: Uint8Array): Promise<Tree> {
  const entries = await unpackTar(new Uint8Array(archive))
  const found = entries.flatMap(({ header, data }) => {
    const name = header.name.replace(/^\.\//, "")
    if (header.type === "symlink") return [[name, `link to ${header.linkname}`]]
    if (header.type !== "file") return []
    const mode = ((header.mode ?? 0) & 0o777).toString(8)
    return [[name, `${mode} ${Buffer.from(data ?? []).toString("latin1")}`]]
  })
  return Object.fromEntries(found.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)))
}

const twenty = (word: string, end = "\n") =>
  Array.from({ length: 20 }, (_, at) => `${word} ${at}${end}`).join("")

/** One file for each sort of change, so that no history lacks one. */
function prepareEach(directory: string): void {
  mkdirSync(directory)
  for (const name of ["renamed", "copied", "mode", "gone"]) {
    writeFileSync(join(directory, name), twenty(name))
  }
  writeFileSync(join(directory, "wide"), twenty("wide", "\r\n"))
  writeFileSync(join(directory, "open"), twenty("open").trimEnd())
  symlinkSync("mode", join(directory, "old link"))
}

function changeEach(directory: string): void {
  const at = (name: string) => join(directory, name)
  renameSync(at("renamed"), at("näme\t2"))
  writeFileSync(at("näme\t2"), twenty("renamed").replace("renamed 7", "seven"))
  writeFileSync(at("copy"), twenty("copied").replace("copied 7", "seven"))
  writeFileSync(at("copied"), twenty("copied").replace("copied 9", "nine"))
  chmodSync(at("mode"), 0o755)
  rmSync(at("gone"))
  writeFileSync(at("wide"), twenty("wide", "\r\n").replace("wide 3\r\n", "three\r\n"))
  writeFileSync(at("open"), twenty("open").trimEnd().replace("open 19", "nineteen"))
  rmSync(at("old link"))
  symlinkSync("copy", at("new link"))
  writeFileSync(at("empty"), "")
  writeFileSync(at("program"), "#!/bin/sh\n", { mode: 0o755 })
  writeFileSync(at('quo"ted'), "x\n")
}

type Change = (directory: string, random: Random) => void

function filesIn(directory: string, under = ""): string[] {
  return readdirSync(join(directory, under), { withFileTypes: true }).flatMap((entry) => {
    const name = under === "" ? entry.name : `${under}/${entry.name}`
    if (name === ".git") return []
    return entry.isDirectory() ? filesIn(directory, name) : [name]
  })
}

const isLink = (path: string) => lstatSync(path).isSymbolicLink()

function someFile(directory: string, random: Random, isWanted = (path: string) => !isLink(path)) {
  const files = filesIn(directory).filter((name) => isWanted(join(directory, name)))
  return files.length === 0 ? null : join(directory, random.pick(files))
}

/** A path where nothing is and something can be made. */
function newPath(directory: string, random: Random): string | null {
  const path = join(directory, random.pick(names))
  try {
    mkdirSync(dirname(path), { recursive: true })
    lstatSync(path)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? path : null
  }
}

function content(random: Random): string {
  const end = random.pick(["\n", "\n", "\r\n"])
  const lines = Array.from({ length: random.pick([0, 1, 3, 12, 30]) }, (_, at) =>
    random.pick([
      `line ${at}`,
      "",
      "same",
      "-- dashes",
      "++ plus",
      "@@ -1 +1 @@",
      "\\ odd",
      "é語😀",
    ]),
  )
  const text = lines.map((line) => line + (random.below(12) === 0 ? "\n" : end)).join("")
  return random.below(4) === 0 ? text.replace(/\r?\n$/, "") : text
}

function addFile(directory: string, random: Random): void {
  const path = newPath(directory, random)
  if (path === null) return
  writeFileSync(path, content(random), { mode: random.pick([0o644, 0o755]) })
}

function edit(path: string, random: Random): void {
  const lines = readFileSync(path, "latin1").split("\n")
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    const at = random.below(lines.length)
    lines.splice(
      at,
      random.below(2),
      ...random.pick([[], ["new"], [`x ${random.below(99)}`, "y\r"]]),
    )
  }
  writeFileSync(path, lines.join("\n") + random.pick(["", "", "\n"]), "latin1")
}

const changes: readonly Change[] = [
  addFile,
  (directory, random) => {
    const path = someFile(directory, random)
    if (path) edit(path, random)
  },
  (directory, random) => {
    const path = someFile(directory, random, () => true)
    if (path) rmSync(path)
  },
  (directory, random) => {
    const [path, to] = [someFile(directory, random, () => true), newPath(directory, random)]
    if (!path || !to) return
    renameSync(path, to)
    if (!isLink(to) && random.below(2) === 0) edit(to, random)
  },
  (directory, random) => {
    const [path, to] = [someFile(directory, random), newPath(directory, random)]
    if (!path || !to) return
    copyFileSync(path, to)
    edit(random.pick([path, to]), random)
  },
  (directory, random) => {
    const path = someFile(directory, random)
    if (path) chmodSync(path, lstatSync(path).mode & 0o111 ? 0o644 : 0o755)
  },
  (directory, random) => {
    const path = newPath(directory, random)
    if (path) symlinkSync(random.pick(["a.txt", "nowhere", "sub/c.txt", "odd é\tname"]), path)
  },
  // A file becomes a link, or a link a file.
  (directory, random) => {
    const path = someFile(directory, random, () => true)
    if (!path) return
    const wasLink = isLink(path)
    rmSync(path)
    if (wasLink) writeFileSync(path, content(random))
    else symlinkSync("b.txt", path)
  },
  // A file becomes a directory, or the other way round.
  (directory, random) => {
    const path = join(directory, random.pick(["sub", "a", "b", "a.txt", "b.txt"]))
    if (!existsSync(path)) return
    const wasDirectory = lstatSync(path).isDirectory()
    rmSync(path, { recursive: true })
    if (!wasDirectory) mkdirSync(path)
    writeFileSync(wasDirectory ? path : join(path, "inner"), content(random))
  },
  // Two files change places.
  (directory, random) => {
    const [one, other] = [someFile(directory, random), someFile(directory, random)]
    if (!one || !other || one === other) return
    renameSync(one, `${directory}/swapped`)
    renameSync(other, one)
    renameSync(`${directory}/swapped`, other)
  },
  // Bytes that are no text move, and change.
  (directory, random) => {
    const path = newPath(directory, random)
    if (path && random.below(3) === 0)
      writeFileSync(path, Buffer.from([0, 1, 2, random.below(255), 10]))
  },
]
