import { chmodSync, readdirSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { makeDirectories } from "../../node/index.ts"

/**
 * A directory on the way to sandboxes' files. Run by root, sandboxes are other users: they may walk through it
 * and see nothing of what is in it. Nobody else may do even that. Whatever the umask is.
 */
export function makeWalkable(directory: string): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  makeDirectories(directory, mode)
  chmodSync(directory, mode)
}

/**
 * Lets only the owner change what is in these directories, whatever the umask was when they were copied. Their
 * files are left alone: each has the mode of what it is a copy of, or a second name for.
 */
export function closeToWriters(directory: string): void {
  chmodSync(directory, 0o755)
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) closeToWriters(join(directory, entry.name))
  }
}

/** Says that something is used now: what nobody uses for long is removed. */
export function touch(path: string): void {
  const now = new Date()
  try {
    utimesSync(path, now, now)
  } catch {
    // It belongs to another user, who then updates it himself.
  }
}
