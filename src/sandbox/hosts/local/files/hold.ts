import type { Stats } from "node:fs"
import { constants, lstat, open, readlink } from "node:fs/promises"
import { isInside } from "../../../../contract/index.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"

/** Linux's flag for a handle that stands for a place: nothing is opened, so no FIFO or device notices. */
const O_PATH = 0o10000000
const { O_NOFOLLOW } = constants

/** A file or directory that was seen to be inside, held so that it stays the same one. */
export interface Held {
  /** The path to use it by; names can be put behind a directory's. */
  readonly at: string
  readonly stats: Stats
  release(): Promise<void>
}

/**
 * Holds what is at `path`, whose last part is not followed when it is a link. `asked` is for the
 * error. Between the look that found `path` inside and this one, a directory on the way may have
 * been swapped for a link: so Linux is asked where the handle really is, and everything after goes
 * through the handle. Other systems have no such handle, and there the swap can succeed. Nowhere is a
 * second name (hard link) of an outside file noticed. Commands can reach outside anyway: this keeps
 * file tools from being led there, it does not isolate.
 */
export async function hold(path: string | Buffer, root: string, asked: string): Promise<Held> {
  if (process.platform !== "linux") return holdByName(path, asked)
  const handle = await open(path, O_PATH | O_NOFOLLOW)
  const at = `/proc/self/fd/${handle.fd}`
  try {
    if (!isInside(root, await readlink(at))) throw new WorkspaceError("outside", asked)
    return { at, stats: refuseLink(await handle.stat(), asked), release: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function holdByName(path: string | Buffer, asked: string): Promise<Held> {
  return { at: String(path), stats: refuseLink(await lstat(path), asked), release: async () => {} }
}

/** Links were followed before: one that is here now was put here in between. */
function refuseLink(stats: Stats, asked: string): Stats {
  if (stats.isSymbolicLink()) throw new WorkspaceError("link-loop", asked)
  return stats
}
