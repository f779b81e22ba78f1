import { chmodSync, lstatSync, readdirSync, type Stats } from "node:fs"
import { join } from "node:path"
import { makeDirectories } from "../node/index.ts"

/** What Toolkeep itself keeps in its home. */
const ownNames =
  /^(token|memory(\.db.*)?|record\.sqlite.*|artifacts|sessions|mcp|local|bubblewrap|docker|kubernetes|disk-use|sandbox-api)$/

/** Where sandboxes are, which may be other users: their hosts close what is in there. */
const hostNames = /^(bubblewrap|docker|kubernetes)$/

/** What a sandbox's directory says about itself. */
const ownerFiles = ["owner", "kept"]

/** Bits that nobody but the owner has; run by root, sandboxes are other users, which walk through some directories. */
const others = 0o077
const othersButWalking = 0o066

/**
 * Makes the home, and closes it to other users with all that is in it, whatever the umask is and however an
 * older version left it. A directory that holds other things as well stays as it is, but for what is Toolkeep's.
 */
export function prepareHome(home: string): void {
  const walked = process.getuid?.() === 0 ? othersButWalking : others
  try {
    // Only what is made here can be given more than it has: who closed a home wants it closed.
    if (makeDirectories(home, 0o700) !== undefined) {
      chmodSync(home, 0o777 & ~walked)
      return
    }
    const names = readdirSync(home)
    if (names.every((name) => ownNames.test(name))) take(home, walked)
    for (const name of names.filter((one) => ownNames.test(one))) {
      const path = join(home, name)
      if (hostNames.test(name)) closeHost(path, walked)
      // What commands made there is theirs to open or close.
      else if (name === "local") take(path, others)
      else closeAll(path)
    }
  } catch {
    // Somebody else's, or on a disk that is read-only: the code that writes there reports what is wrong.
  }
}

/** The directories of sandboxes, and whose they are. What they show to their users is left as it is. */
function closeHost(path: string, walked: number): void {
  const stats = lstatSync(path)
  if (!stats.isDirectory() || (stats.mode & walked) === 0) return
  for (const sandbox of readdirSync(path, { withFileTypes: true })) {
    if (!sandbox.isDirectory()) continue
    const own = join(path, sandbox.name)
    take(own, walked)
    for (const file of ownerFiles) {
      if (lstatSync(join(own, file), { throwIfNoEntry: false })) take(join(own, file), others)
    }
  }
  take(path, walked, stats)
}

/** What is behind a closed door is as it should be, so that only what is left of an older version is looked at. */
function closeAll(path: string): void {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink() || (stats.mode & others) === 0) return
  if (stats.isDirectory()) for (const name of readdirSync(path)) closeTree(join(path, name))
  take(path, others, stats)
}

function closeTree(path: string): void {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return
  if (stats.isDirectory()) for (const name of readdirSync(path)) closeTree(join(path, name))
  take(path, others, stats)
}

/** Takes these bits from others. */
function take(path: string, bits: number, { mode }: Stats = lstatSync(path)): void {
  if ((mode & bits) !== 0) chmodSync(path, mode & 0o7777 & ~bits)
}
