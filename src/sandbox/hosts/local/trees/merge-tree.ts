import { chmod, rename, unlink, utimes } from "node:fs/promises"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import type { FileScope } from "../files/file-scope.ts"
import { type Held, hold } from "../files/hold.ts"
import { lookAt } from "../files/hold-place.ts"
import { namesIn, placeIn } from "../files/names-in.ts"
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
    const [source, target] = [placeIn(from, name), placeIn(into, name)]
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
  const from = await hold(source, merging.scope.root, merging.path)
  try {
    const into = await hold(target, merging.scope.root, merging.path)
    try {
      await mergeTree(from, into, merging)
    } finally {
      await into.release()
    }
  } finally {
    await from.release()
  }
}

/** The deepest first: a directory's time changes with what is put in, and its mode may close it. */
export async function finishDirectories(
  top: Held,
  directories: readonly UnpackedDirectory[],
  merging: Merging,
): Promise<void> {
  const deepestFirst = directories.toSorted((a, b) => depthOf(b.name) - depthOf(a.name))
  for (const { name, mode, modifiedMs } of deepestFirst) {
    await withDirectory(top, name, merging, async ({ at }) => {
      await chmod(at, mode)
      await utimes(at, modifiedMs / 1000, modifiedMs / 1000)
    })
  }
}

async function withDirectory(
  top: Held,
  name: string,
  { scope, path }: Merging,
  work: (held: Held) => Promise<void>,
): Promise<void> {
  if (name === "") return work(top)
  const held = await hold(placeIn(top, name), scope.root, path)
  try {
    if (held.stats.isDirectory()) await work(held)
  } finally {
    await held.release()
  }
}

function depthOf(name: string): number {
  return name === "" ? 0 : name.split("/").length
}
