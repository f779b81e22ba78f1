import { rmdir, unlink } from "node:fs/promises"
import type { Operation } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { errnoOf } from "../file-error.ts"
import type { FileScope } from "./file-scope.ts"
import { hold } from "./hold.ts"
import { holdPlace, holdSource, lookAt } from "./hold-place.ts"
import { namesIn, placeIn } from "./names-in.ts"

export async function removeFile(
  { path, recursive }: Extract<Operation, { kind: "file.remove" }>,
  scope: FileScope,
): Promise<null> {
  const place = recursive
    ? await holdSource(path, scope.root)
    : await holdPlace(path, scope.root, false)
  try {
    const stats = await lookAt(place.at)
    if (stats === null) throw new WorkspaceError("not-found", path)
    if (stats.isDirectory() && !recursive) await rmdir(place.at)
    else await removeTree(place.at, scope, path)
    return null
  } finally {
    await place.release()
  }
}

/**
 * Takes a name away, and everything below it. Directories are entered by handles: one that is swapped
 * for a link meanwhile is not followed.
 */
export async function removeTree(
  at: string | Buffer,
  scope: FileScope,
  asked: string,
): Promise<void> {
  scope.signal.throwIfAborted()
  try {
    return await unlink(at)
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return
    const isDirectory = (await lookAt(at))?.isDirectory()
    if (!isDirectory) throw error
  }
  const directory = await hold(at, scope.root, asked)
  try {
    for (const name of await namesIn(directory)) {
      await removeTree(placeIn(directory, name), scope, asked)
    }
  } finally {
    await directory.release()
  }
  await rmdir(at)
}
