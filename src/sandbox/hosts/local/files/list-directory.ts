import type { Dirent } from "node:fs"
import { opendir } from "node:fs/promises"
import type { DirectoryEntry, FileType } from "../../../../contract/index.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import type { FileScope } from "./file-scope.ts"
import { findInside } from "./find-inside.ts"
import { hold } from "./hold.ts"

const namesPerRead = 1024

/**
 * The first `limit` entries by name. A directory is not sorted on disk, so all its names pass by, but
 * no more than a few times the limit are ever held. A name that is not UTF-8 is shown with U+FFFD in
 * place of the bad bytes; the file operations can't open it, commands can.
 */
export async function listDirectory(
  { path, limit }: { readonly path: string; readonly limit: number },
  { root, signal }: FileScope,
): Promise<readonly DirectoryEntry[]> {
  const held = await hold(await findInside(path, root), root, path)
  try {
    if (!held.stats.isDirectory()) throw new WorkspaceError("not-directory", path)
    const first: DirectoryEntry[] = []
    const mostHeld = Math.max(namesPerRead, 2 * limit)
    for await (const entry of await opendir(held.at, { bufferSize: namesPerRead })) {
      signal.throwIfAborted()
      first.push({ name: entry.name, type: typeOf(entry) })
      if (first.length > mostHeld) sortAndCut(first, limit)
    }
    sortAndCut(first, limit)
    return first
  } finally {
    await held.release()
  }
}

function sortAndCut(entries: DirectoryEntry[], limit: number): void {
  entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  if (entries.length > limit) entries.length = limit
}

function typeOf(entry: Dirent): FileType {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "directory"
  return entry.isSymbolicLink() ? "symlink" : "other"
}
