import { posix } from "node:path"
import type { Operation, OperationControl, TreeImport } from "../../host/operation.ts"
import { WorkspaceError } from "../../host/workspace-error.ts"
import { memoryHostLimits } from "../../limits.ts"
import { packArchive } from "../../trees/pack-archive.ts"
import { readArchive, requireOneFile } from "../../trees/read-archive.ts"
import type { LoadedEntry } from "./disk/disk-trees.ts"
import type { VirtualDisk } from "./disk/virtual-disk.ts"
import { withWorkspaceErrors } from "./perform-file-operation.ts"

/** Packs what is there at this moment, whatever changes while the archive is read. */
export function exportTree(
  disk: VirtualDisk,
  { path }: Extract<Operation, { kind: "tree.export" }>,
  { signal }: OperationControl,
): ReadableStream<Uint8Array> {
  const entries = withWorkspaceErrors(path, () => disk.entries(path))
  if (entries.length === 0) throw new WorkspaceError("not-file", path)
  return packArchive(entries, signal)
}

/** Nothing is on the disk before the archive is known to be whole and harmless; then all of it is. */
export async function importTree(
  disk: VirtualDisk,
  { path, as }: TreeImport,
  { signal, input }: OperationControl,
): Promise<null> {
  const check = () => withWorkspaceErrors(path, () => refuseOther(disk, path, as))
  check()
  const archive = input ?? new Blob([]).stream()
  const loaded = await loadEntries(archive, { path, signal, limitBytes: disk.limitBytes })
  // Commands went on while the archive arrived.
  check()
  withWorkspaceErrors(path, () => {
    if (as === "directory") {
      disk.makeDirectory(path, { parents: true })
      disk.unpack(path, loaded)
    } else {
      const file = requireOneFile(loaded, path)
      disk.makeParents(path)
      disk.unpack(posix.dirname(path), [{ ...file, name: posix.basename(path) }])
    }
  })
  return null
}

function refuseOther(disk: VirtualDisk, path: string, as: TreeImport["as"]): void {
  if (!disk.exists(path)) return
  const isDirectory = disk.stat(path).type === "directory"
  if (as === "directory" && !isDirectory) throw new WorkspaceError("not-directory", path)
  if (as === "file" && isDirectory) throw new WorkspaceError("is-directory", path)
}

interface Reading {
  readonly path: string
  readonly signal: AbortSignal
  /** More can't fit, whatever is on the disk now. */
  readonly limitBytes: number
}

async function loadEntries(
  archive: ReadableStream<Uint8Array>,
  { path, signal, limitBytes }: Reading,
): Promise<readonly LoadedEntry[]> {
  const loaded: LoadedEntry[] = []
  let bytes = 0
  for await (const entry of readArchive(archive, path, signal)) {
    bytes += memoryHostLimits.entryBytes + (entry.kind === "file" ? entry.size : 0)
    if (bytes > limitBytes) throw new WorkspaceError("no-space", path)
    if (entry.kind !== "file") {
      loaded.push(entry)
      continue
    }
    const { body, size, ...facts } = entry
    const data = new Uint8Array(size)
    let filled = 0
    for await (const piece of body) {
      data.set(piece, filled)
      filled += piece.length
    }
    loaded.push({ ...facts, data })
  }
  signal.throwIfAborted()
  return loaded
}
