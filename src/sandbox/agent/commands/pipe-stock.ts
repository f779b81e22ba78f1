import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { createId } from "../../../kit/index.ts"
import { makeDirectories } from "../../../node/index.ts"

const run = promisify(execFile)
const ready = "ready"
const making = "making"
/** How many directories are ready in advance; when fewer than half of them are left, more are made. */
const stockSize = 4
/** What another process has not finished by then, it never will. */
const abandonedMs = 60_000

/** The files of one slot that are pipes. */
const ends = ["out", "err", "pipe"] as const

/** What one directory of the stock has. */
export const stockedSlots = 16

export async function makePipes(directory: string, slots: readonly number[]): Promise<void> {
  const names = slots.flatMap((slot) => ends.map((end) => `${slot}.${end}`))
  // Anyone inside may write: they are all the sandbox's one user, whatever its number outside is.
  await run("mkfifo", ["-m", "622", ...names], { cwd: directory })
}

/** Directories with pipes in them, made ahead: only another program can make a pipe, and a sandbox can't wait. */
export interface PipeStock {
  /** Puts a directory there that has the pipes of the first slots. */
  take(target: string): Promise<void>
  /** Resolves when nothing is being made any more, so that the directory can be removed. */
  settled(): Promise<void>
}

/** Any Toolkeep of this user may share the stock: a directory belongs to the process that renamed it. */
export function openPipeStock(directory: string): PipeStock {
  let filling: Promise<void> | null = null

  async function fill(): Promise<void> {
    const missing = stockSize - readyIn(directory).length
    const names = Array.from({ length: missing }, () => createId(making))
    for (const name of names) mkdirSync(join(directory, name), { mode: 0o750 })
    const slots = names.flatMap((name) =>
      Array.from({ length: stockedSlots }, (_, slot) => `${name}/${slot}`),
    )
    const pipes = slots.flatMap((slot) => ends.map((end) => `${slot}.${end}`))
    if (pipes.length > 0) await run("mkfifo", ["-m", "622", ...pipes], { cwd: directory })
    for (const name of names) renameSync(join(directory, name), join(directory, createId(ready)))
    removeAbandoned(directory)
  }

  return {
    async take(target) {
      makeDirectories(directory, 0o700)
      const names = readyIn(directory)
      const got = names.find((name) => moved(join(directory, name), target))
      if (got === undefined) {
        mkdirSync(target, { mode: 0o750 })
        await makePipes(
          target,
          Array.from({ length: stockedSlots }, (_, slot) => slot),
        )
      }
      if (names.length > stockSize / 2) return
      // A caller that finds the stock empty does not wait for it, and makes its own directory.
      filling ??= fill()
        .catch(() => {})
        .finally(() => {
          filling = null
        })
    },
    settled: async () => {
      await filling
    },
  }
}

function readyIn(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => name.startsWith(ready))
}

/** False when another process was faster. */
function moved(source: string, target: string): boolean {
  try {
    renameSync(source, target)
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false
    throw error
  }
}

function removeAbandoned(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (!name.startsWith(making)) continue
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > abandonedMs) rmSync(path, { recursive: true, force: true })
  }
}
