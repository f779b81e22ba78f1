import { type BigIntStats, closeSync, ftruncateSync, openSync, renameSync } from "node:fs"
import { createId } from "../../../kit/index.ts"

const blockBytes = 512n
/** Reading the holes of a smaller file costs less than a process. */
const leastBytes = 1024n ** 2n

/**
 * Copies a large file with holes and leaves them holes: one of terabytes may take no room at all. Node can't look for
 * them, so a program of this machine copies it.
 */
export function copySparse(
  file: number,
  { size, blocks }: BigIntStats,
  path: Buffer,
): "copied" | "not-sparse" {
  if (size < leastBytes || blocks * blockBytes >= size) return "not-sparse"
  if (blocks === 0n) {
    const made = openSync(path, "wx", 0o600)
    try {
      ftruncateSync(made, Number(size))
    } finally {
      closeSync(made)
    }
    return "copied"
  }
  // Arguments are text, which a name need not be.
  const slash = path.lastIndexOf("/")
  const part = createId(".part")
  const directory = openSync(path.subarray(0, slash), "r")
  try {
    copyWithHoles(file, directory, part)
    renameSync(Buffer.concat([path.subarray(0, slash + 1), Buffer.from(part)]), path)
  } finally {
    closeSync(directory)
  }
  return "copied"
}

function copyWithHoles(file: number, directory: number, name: string): void {
  const { spawnSync } = process.getBuiltinModule("node:child_process")
  const { status, error } = spawnSync(
    "cp",
    ["--sparse=auto", "--reflink=auto", "--", "/proc/self/fd/3", `/proc/self/fd/4/${name}`],
    { stdio: ["ignore", "ignore", "ignore", file, directory] },
  )
  if (status !== 0) throw error ?? new Error(`cp ended with ${status}.`)
}
