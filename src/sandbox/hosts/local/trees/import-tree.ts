import { mkdir, rename } from "node:fs/promises"
import { dirname } from "node:path"
import { createId } from "../../../../kit/index.ts"
import type { TreeImport } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { type ArchiveEntry, readArchive, requireOneFile } from "../../../trees/read-archive.ts"
import { removeTemporary } from "../files/change-files.ts"
import {
  entryIn,
  type FileScope,
  findInside,
  type Held,
  hold,
  holdDirectory,
  holdEntry,
  lookAt,
} from "../files/hold.ts"
import { finishDirectories, mergeTree } from "./merge-tree.ts"
import { Unpacking } from "./unpack-archive.ts"

/**
 * Unpacked beside its path, where nobody looks: what is refused, breaks off or does not fit leaves
 * nothing. Only then is it moved to where it belongs.
 */
export async function importTree(
  operation: TreeImport,
  archive: ReadableStream<Uint8Array>,
  scope: FileScope,
): Promise<null> {
  const importing = { path: operation.path, archive, scope }
  if (operation.as === "file") await importFile(importing)
  else await importDirectory(importing)
  return null
}

interface Importing {
  readonly path: string
  readonly archive: ReadableStream<Uint8Array>
  readonly scope: FileScope
}

async function importDirectory(importing: Importing): Promise<void> {
  const { path, scope } = importing
  const real = await findInside(path, scope.root)
  const existing = await lookAt(real)
  if (existing && !existing.isDirectory()) throw new WorkspaceError("not-directory", path)
  const beside = real === scope.root ? real : dirname(real)
  await using parent = await holdDirectory(beside, scope.root, path)
  await inStage(parent, importing, async (stage, { directories }) => {
    await using target = await holdDirectory(real, scope.root, path)
    await mergeTree(stage, target, { scope, path })
    await finishDirectories(target, directories, { scope, path })
  })
}

async function importFile(importing: Importing): Promise<void> {
  const { path, scope } = importing
  if (path === scope.root) throw new WorkspaceError("is-directory", path)
  const existing = await lookAt(await findInside(path, scope.root))
  if (existing?.isDirectory()) throw new WorkspaceError("is-directory", path)
  await using entry = await holdEntry(path, scope.root, true)
  await inStage(entry.directory, importing, async (stage, { entries }) => {
    const file = requireOneFile(entries, path)
    await rename(entryIn(stage, file.name), entry.at)
  })
}

interface Unpacked extends Pick<Unpacking, "directories"> {
  /** The first few of them. */
  readonly entries: readonly Pick<ArchiveEntry, "kind" | "name">[]
}

async function inStage(
  parent: Held,
  importing: Importing,
  finish: (stage: Held, unpacked: Unpacked) => Promise<void>,
): Promise<void> {
  const { path, scope } = importing
  const at = `${parent.at}/.toolkeep-${createId("import")}`
  try {
    await mkdir(at, 0o700)
    await using stage = await hold(at, scope.root, path)
    await finish(stage, await unpack(stage, importing))
  } finally {
    await removeTemporary(at, scope, path)
  }
}

/** Enough to tell one file from anything else. */
const entriesSeen = 3

async function unpack(stage: Held, { path, archive, scope }: Importing): Promise<Unpacked> {
  await using unpacking = new Unpacking(stage, scope, path)
  const entries: Pick<ArchiveEntry, "kind" | "name">[] = []
  for await (const entry of readArchive(archive, path, scope.signal)) {
    await unpacking.add(entry)
    if (entries.length < entriesSeen && entry.name !== "") entries.push(entry)
  }
  scope.signal.throwIfAborted()
  await unpacking.addLinks()
  return { directories: unpacking.directories, entries }
}
