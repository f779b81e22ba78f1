import type { Stats } from "node:fs"
import { lstat } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { errnoOf } from "../file-error.ts"
import { findInside } from "./find-inside.ts"
import { type Held, hold } from "./hold.ts"
import { holdDirectory } from "./hold-directory.ts"

/** A name in a held directory. A link that has this name is meant itself, and not what it leads to. */
export interface HeldPlace {
  readonly directory: Held
  readonly at: string
  release(): Promise<void>
}

/** With `make`, the directories above that are missing are made. */
export async function holdPlace(path: string, root: string, make: boolean): Promise<HeldPlace> {
  // The sandbox's own directory is the user's, and has its name outside.
  if (path === root) throw new WorkspaceError("denied", path)
  const parent = await findInside(dirname(path), root).catch((error: unknown) => {
    throw error instanceof WorkspaceError ? new WorkspaceError(error.code, path) : error
  })
  const directory = make ? await holdDirectory(parent, root, path) : await hold(parent, root, path)
  const release = () => directory.release()
  if (directory.stats.isDirectory()) {
    return { directory, at: `${directory.at}/${basename(path)}`, release }
  }
  await release()
  throw new WorkspaceError("not-directory", path)
}

/** The place of something that has to be there. That a part of the way is a file means that nothing is there. */
export async function holdSource(path: string, root: string): Promise<HeldPlace> {
  return holdPlace(path, root, false).catch((error: unknown) => {
    const isMissing = errnoOf(error) === "ENOTDIR" || codeOf(error) === "not-directory"
    throw isMissing ? new WorkspaceError("not-found", path, { cause: error }) : error
  })
}

function codeOf(error: unknown): string | null {
  return error instanceof WorkspaceError ? error.code : null
}

/** What is at a path itself; null when nothing is. */
export async function lookAt(path: string | Buffer): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null
    throw error
  }
}
