import { chmod, rename, unlink, utimes } from "node:fs/promises"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { entryIn, type FileScope, type Held, hold, lookAt, namesIn } from "../files/hold.ts"
import type { UnpackedDirectory } from "./unpack-archive.ts"

export interface Merging {
  readonly scope: FileScope
  /** For the error. */
  readonly path: string
}

/**
 * Moves what is in one directory into another. Directories of both are merged; everything else that
 * has the same name is replaced, a link by what takes its place and never followed.
 */
export async function mergeTree(from: Held, into: Held, merging: Merging): Promise<void> {
  for (const name of await namesIn(from)) {
    const [source, target] = [entryIn(from, name), entryIn(into, name)]
    const [moved, existing] = [await lookAt(source), await lookAt(target)]
    if (existing?.isDirectory()) {
      if (!moved?.isDirectory()) {
        throw new WorkspaceError("is-directory", `${merging.path}/${name}`)
      }
      await mergeBoth(source, target, merging)
    } else {
      if (existing && moved?.isDirectory()) await unlink(target)
      await rename(source, target)
    }
  }
}

async function mergeBoth(source: Buffer, target: Buffer, merging: Merging): Promise<void> {
  await using from = await hold(source, merging.scope.root, merging.path)
  await using into = await hold(target, merging.scope.root, merging.path)
  await mergeTree(from, into, merging)
}

/** The deepest first: a directory's time changes with what is put in, and its mode may close it. */
export async function finishDirectories(
  top: Held,
  directories: readonly UnpackedDirectory[],
  { scope, path }: Merging,
): Promise<void> {
  const deepestFirst = directories.toSorted((a, b) => depthOf(b.name) - depthOf(a.name))
  for (const { name, mode, modifiedMs } of deepestFirst) {
    await using held = await hold(entryIn(top, name || "."), scope.root, path)
    if (!held.stats.isDirectory()) continue
    await chmod(held.at, mode)
    await utimes(held.at, modifiedMs / 1000, modifiedMs / 1000)
  }
}

function depthOf(name: string): number {
  return name === "" ? 0 : name.split("/").length
}
