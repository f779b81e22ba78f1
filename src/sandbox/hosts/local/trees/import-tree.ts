import { mkdir, rename } from "node:fs/promises"
import { dirname } from "node:path"
import { createId } from "../../../../kit/index.ts"
import type { TreeImport } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { type ArchiveEntry, readArchive, requireOneFile } from "../../../trees/read-archive.ts"
import type { FileScope } from "../files/file-scope.ts"
import { findInside } from "../files/find-inside.ts"
import { type Held, hold } from "../files/hold.ts"
import { holdDirectory } from "../files/hold-directory.ts"
import { holdPlace, lookAt } from "../files/hold-place.ts"
import { placeIn } from "../files/names-in.ts"
import { removeTree } from "../files/remove-file.ts"
import { finishDirectories, mergeTree } from "./merge-tree.ts"
import { Unpacking } from "./unpack-archive.ts"

/**
 * Unpacked beside its place, where nobody looks: what is refused, breaks off or does not fit leaves
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
  const parent = await holdDirectory(beside, scope.root, path)
  await inStage(parent, importing, async (stage, { directories }) => {
    const target = await holdDirectory(real, scope.root, path)
    try {
      await mergeTree(stage, target, { scope, path })
      await finishDirectories(target, directories, { scope, path })
    } finally {
      await target.release()
    }
  })
}

async function importFile(importing: Importing): Promise<void> {
  const { path, scope } = importing
  if (path === scope.root) throw new WorkspaceError("is-directory", path)
  const existing = await lookAt(await findInside(path, scope.root))
  if (existing?.isDirectory()) throw new WorkspaceError("is-directory", path)
  const place = await holdPlace(path, scope.root, true)
  await inStage(place.directory, importing, async (stage, { entries }) => {
    const file = requireOneFile(entries, path)
    await rename(placeIn(stage, file.name), place.at)
  })
}

interface Unpacked extends Pick<Unpacking, "directories"> {
  /** The first few of them. */
  readonly entries: readonly Pick<ArchiveEntry, "kind" | "name">[]
}

/** Releases the parent too. */
async function inStage(
  parent: Held,
  importing: Importing,
  finish: (stage: Held, unpacked: Unpacked) => Promise<void>,
): Promise<void> {
  const { path, scope } = importing
  const at = `${parent.at}/.toolkeep-${createId("import")}`
  try {
    await mkdir(at, 0o700)
    const stage = await hold(at, scope.root, path)
    try {
      await finish(stage, await unpack(stage, importing))
    } finally {
      await stage.release()
    }
  } finally {
    const untouched = { ...scope, signal: new AbortController().signal }
    await removeTree(at, untouched, path).catch(() => {})
    await parent.release()
  }
}

/** Enough to tell one file from anything else. */
const entriesKept = 3

async function unpack(stage: Held, { path, archive, scope }: Importing): Promise<Unpacked> {
  const unpacking = new Unpacking(stage, scope, path)
  const entries: Pick<ArchiveEntry, "kind" | "name">[] = []
  try {
    for await (const entry of readArchive(archive, path, scope.signal)) {
      await unpacking.add(entry)
      if (entries.length < entriesKept && entry.name !== "") entries.push(entry)
    }
    scope.signal.throwIfAborted()
    await unpacking.addLinks()
    return { directories: unpacking.directories, entries }
  } finally {
    await unpacking.release()
  }
}
