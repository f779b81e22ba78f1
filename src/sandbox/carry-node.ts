import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { createId } from "../kit/index.ts"

const run = promisify(execFile)

/**
 * Puts this process's own Node, with every library it needs, into a directory that sandboxes see as
 * `inside`, and says how it is called there: in any image, also one with another C library or none.
 */
export async function carryNode(directory: string, inside: string): Promise<readonly string[]> {
  const program = realpathSync(process.execPath)
  const { size, mtimeMs } = statSync(program)
  // Another Toolkeep may run on another Node, and share the directory.
  const version = createHash("sha256").update(`${program}\0${size}\0${mtimeMs}`).digest("hex")
  const name = `node-${version.slice(0, 12)}`
  const target = join(directory, name)
  const { libraries, loader } = await librariesOf(program)
  if (!existsSync(target)) place(target, program, libraries)
  const library = `${inside}/${name}/lib`
  const start = loader === null ? [] : [`${library}/${basename(loader)}`, "--library-path", library]
  return [...start, `${inside}/${name}/node`]
}

/** Whole or not at all: another process may be about to use it. */
function place(target: string, program: string, libraries: readonly string[]): void {
  const temporary = `${target}.${createId("new")}`
  mkdirSync(join(temporary, "lib"), { recursive: true, mode: 0o755 })
  put(program, join(temporary, "node"))
  for (const path of libraries) put(realpathSync(path), join(temporary, "lib", basename(path)))
  try {
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
}

/** A second name costs nothing; where there can be none, or others may not read it, a copy. */
function put(source: string, target: string): void {
  const forOthers = 0o005
  try {
    if ((statSync(source).mode & forOthers) !== forOthers) throw new Error("Others can't use it.")
    linkSync(source, target)
  } catch {
    copyFileSync(source, target)
    chmodSync(target, 0o755)
  }
}

interface Libraries {
  readonly libraries: readonly string[]
  readonly loader: string | null
}

async function librariesOf(program: string): Promise<Libraries> {
  // It fails for a program that needs none.
  const { stdout } = await run("ldd", [program]).catch(() => ({ stdout: "" }))
  const lines = stdout.split("\n").map((line) => line.trim())
  const libraries = lines.flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? [])
  const loader = libraries.find((path) => basename(path).startsWith("ld-")) ?? null
  return { libraries, loader }
}
