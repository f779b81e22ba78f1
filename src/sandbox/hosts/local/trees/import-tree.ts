import { chmod, mkdir, readdir, rename, unlink, utimes } from "node:fs/promises"
import { dirname, join } from "node:path"
import { createId } from "../../../../kit/index.ts"
import type { TreeImport } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { readArchive, requireOneFile } from "../../../trees/read-archive.ts"
import { removeTemporary } from "../files/change-files.ts"
import {
  type FileScope,
  findInside,
  type Held,
  hold,
  holdDirectory,
  holdEntry,
  lookAt,
} from "../files/hold.ts"
import { type Unpacked, unpackArchive } from "./unpack-archive.ts"

interface Importing {
  readonly path: string
  readonly archive: ReadableStream<Uint8Array>
  readonly scope: FileScope
}

/**
 * Unpacked beside its path, where nobody looks: what is refused, breaks off or does not fit leaves
 * nothing. Only then is it moved to where it belongs.
 */
export async function importTree(
  { path, as }: TreeImport,
  archive: ReadableStream<Uint8Array>,
  scope: FileScope,
): Promise<null> {
  await (as === "file" ? importFile : importDirectory)({ path, archive, scope })
  return null
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
    await mergeTree(stage, target.at, path)
    await finishDirectories(target.at, directories)
  })
}

async function importFile(importing: Importing): Promise<void> {
  const { path, scope } = importing
  if (path === scope.root) throw new WorkspaceError("is-directory", path)
  const existing = await lookAt(await findInside(path, scope.root))
  if (existing?.isDirectory()) throw new WorkspaceError("is-directory", path)
  await using entry = await holdEntry(path, scope.root, true)
  await inStage(entry.directory, importing, async (stage, { entries }) => {
    await rename(join(stage, requireOneFile(entries, path).name), entry.at)
  })
}

async function inStage(
  parent: Held,
  { path, archive, scope }: Importing,
  finish: (stage: string, unpacked: Unpacked) => Promise<void>,
): Promise<void> {
  const at = `${parent.at}/.toolkeep-${createId("import")}`
  try {
    await mkdir(at, 0o700)
    await using stage = await hold(at, scope.root, path)
    const entries = readArchive(archive, path, scope.signal)
    await finish(stage.at, await unpackArchive(stage.at, entries, scope.signal))
  } finally {
    await removeTemporary(at, scope, path)
  }
}

/**
 * Moves what is in one directory into another. Directories of both are merged; everything else that
 * has the same name is replaced, a link by what takes its place and never followed.
 */
async function mergeTree(from: string, into: string, path: string): Promise<void> {
  for (const name of await readdir(from)) {
    const [source, target] = [join(from, name), join(into, name)]
    const [moved, existing] = [await lookAt(source), await lookAt(target)]
    if (!existing?.isDirectory()) {
      if (existing && moved?.isDirectory()) await unlink(target)
      await rename(source, target)
    } else if (moved?.isDirectory()) await mergeTree(source, target, path)
    else throw new WorkspaceError("is-directory", `${path}/${name}`)
  }
}

/** The deepest first: a directory's time changes with what is put in, and its mode may close it. */
async function finishDirectories(top: string, directories: Unpacked["directories"]): Promise<void> {
  const deepestFirst = directories.toSorted((a, b) => depthOf(b.name) - depthOf(a.name))
  for (const { name, mode, modifiedMs } of deepestFirst) {
    const at = `${top}/${name || "."}`
    if (!(await lookAt(at))?.isDirectory()) continue
    await chmod(at, mode)
    await utimes(at, modifiedMs / 1000, modifiedMs / 1000)
  }
}

function depthOf(name: string): number {
  return name === "" ? 0 : name.split("/").length
}
