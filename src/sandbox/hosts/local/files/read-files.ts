import type { Dirent } from "node:fs"
import { constants, type FileHandle, open, opendir } from "node:fs/promises"
import type { DirectoryEntry, FileStat, FileType } from "../../../../contract/index.ts"
import type { FileRead } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { type FileScope, holdTarget } from "./hold.ts"

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = constants
/** Between two reads of this size an abort is noticed. */
const stepBytes = 4 * 1024 * 1024
const permissionBits = 0o7777
const namesPerRead = 1024

/** The requested part of a regular file, as long as the file is when it is opened. */
export async function readFile(
  { path, offset, length }: FileRead,
  { root, signal }: FileScope,
): Promise<Uint8Array> {
  await using held = await holdTarget(path, root)
  if (held.stats.isDirectory()) throw new WorkspaceError("is-directory", path)
  if (!held.stats.isFile()) throw new WorkspaceError("not-file", path)
  await using file = await open(held.at, O_RDONLY | O_NONBLOCK | O_NOCTTY)
  const left = Math.max(0, (await file.stat()).size - offset)
  return await readRange(file, offset, Math.min(left, length ?? left), signal)
}

async function readRange(
  file: FileHandle,
  offset: number,
  length: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    signal.throwIfAborted()
    const step = Math.min(stepBytes, length - filled)
    const { bytesRead } = await file.read(bytes, filled, step, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

export async function statFile(
  { path }: { readonly path: string },
  { root }: FileScope,
): Promise<FileStat> {
  await using held = await holdTarget(path, root)
  const { size, mtimeMs, mode } = held.stats
  const other = held.stats.isDirectory() ? "directory" : "other"
  const type = held.stats.isFile() ? "file" : other
  return { type, size, modifiedMs: mtimeMs, mode: mode & permissionBits }
}

/**
 * The first `limit` entries by name. A directory is not sorted on disk, so all its names pass by, but
 * no more than a few times the limit are ever held. A name that is not UTF-8 is shown with U+FFFD in
 * place of the bad bytes; the file operations can't open it, commands can.
 */
export async function listDirectory(
  { path, limit }: { readonly path: string; readonly limit: number },
  { root, signal }: FileScope,
): Promise<readonly DirectoryEntry[]> {
  await using held = await holdTarget(path, root)
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
