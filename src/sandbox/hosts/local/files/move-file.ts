import type { Stats } from "node:fs"
import { realpath, rename } from "node:fs/promises"
import { basename, join } from "node:path"
import { isInside } from "../../../../contract/index.ts"
import { createId } from "../../../../kit/index.ts"
import type { Operation } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { about, errnoOf } from "../file-error.ts"
import { copyTree } from "./copy-tree.ts"
import type { FileScope } from "./file-scope.ts"
import { type HeldPlace, holdPlace, holdSource, lookAt } from "./hold-place.ts"
import { removeTree } from "./remove-file.ts"

interface Move {
  readonly path: string
  readonly to: string
}

export async function renameFile(
  operation: Extract<Operation, { kind: "file.rename" }>,
  scope: FileScope,
): Promise<null> {
  return between(operation, scope, async ({ source, target, isSame }) => {
    if (isSame) {
      const cause = new Error("Both names lead to the same file.")
      throw new WorkspaceError("failed", operation.path, { cause })
    }
    await rename(source.at, target.at).catch(async (error: unknown) => {
      if (errnoOf(error) !== "EXDEV") throw error
      // Another file system is mounted inside.
      await copyInto({ source, target }, operation, scope)
      await removeTree(source.at, scope, operation.path)
    })
  })
}

export async function copyFile(
  operation: Extract<Operation, { kind: "file.copy" }>,
  scope: FileScope,
): Promise<null> {
  return between(operation, scope, (places) => copyInto(places, operation, scope))
}

interface Places {
  readonly source: HeldPlace
  readonly target: HeldPlace
}

/** Into a name of its own first, so that half a copy never stands where a whole one is expected. */
async function copyInto(
  { source, target }: Places,
  { path }: Move,
  scope: FileScope,
): Promise<void> {
  const temporary = `${target.directory.at}/.toolkeep-${createId("copy")}`
  try {
    await copyTree({ from: source.at, to: temporary, scope, asked: path })
    await rename(temporary, target.at)
  } catch (error) {
    const untouched = { ...scope, signal: new AbortController().signal }
    await removeTree(temporary, untouched, path).catch(() => {})
    throw error
  }
}

/** Holds both places while the work goes on, once it is clear that nothing is replaced but a file. */
async function between(
  { path, to }: Move,
  { root }: FileScope,
  work: (places: Places & { readonly isSame: boolean }) => Promise<void>,
): Promise<null> {
  const source = await holdSource(path, root)
  try {
    const sourceStats = await lookAt(source.at)
    if (sourceStats === null) throw new WorkspaceError("not-found", path)
    if (to === root) throw new WorkspaceError("is-directory", to)
    const target = await about(to, holdPlace(to, root, true))
    try {
      const targetStats = await about(to, lookAt(target.at))
      refuseTarget(sourceStats, targetStats, to)
      await refuseItself({ source, target }, path)
      await work({ source, target, isSame: isSame(sourceStats, targetStats) })
      return null
    } finally {
      await target.release()
    }
  } finally {
    await source.release()
  }
}

function refuseTarget(source: Stats, target: Stats | null, to: string): void {
  if (target?.isDirectory()) throw new WorkspaceError("is-directory", to)
  if (target && source.isDirectory()) throw new WorkspaceError("not-directory", to)
}

/** Its copy would be copied again and again. */
async function refuseItself({ source, target }: Places, path: string): Promise<void> {
  const real = join(await realpath(source.directory.at), basename(path))
  if (isInside(real, await realpath(target.directory.at))) {
    throw new WorkspaceError("into-itself", path)
  }
}

function isSame(source: Stats, target: Stats | null): boolean {
  return target !== null && source.ino === target.ino && source.dev === target.dev
}
