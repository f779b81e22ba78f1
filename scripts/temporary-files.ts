import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

const name = "toolkeep-tests"

/**
 * Gives tests and benches, and every program that they start, a place for files that stays fast. An ext4 without a
 * journal gives no number of a removed file out again for minutes, and looks past all of them whenever it makes one:
 * after some thousand files that is most of the processor time. Below a directory with the attribute T, each
 * directory begins in a part of the disk of its own.
 */
export function useTemporaryFiles(): void {
  if (basename(tmpdir()) === name) return
  const directory = join(tmpdir(), name)
  try {
    // Tests run commands as other users, who make files here too.
    mkdirSync(directory, { recursive: true })
    chmodSync(directory, 0o1777)
    spawnSync("chattr", ["+T", directory])
  } catch {
    // Somebody else's, who has done the same.
  }
  process.env.TMPDIR = directory
}
