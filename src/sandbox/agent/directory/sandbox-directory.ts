import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { ToolFailure } from "../../../contract/index.ts"
import { createId } from "../../../kit/index.ts"
import type { SandboxSpec } from "../../host/host.ts"
import { claimDirectory, keepDirectory, otherOwner } from "../../owners/abandoned.ts"
import { makeWalkable } from "../../owners/shared-directory.ts"
import {
  defaultWritable,
  type HomeStack,
  hasHome,
  keptDirectory,
  layerPath,
  layersOf,
  makeDirectory,
  openStack,
  writeStack,
} from "./home-stack.ts"
import { exchangeName } from "./remove-abandoned.ts"
import { removeTree } from "./remove-tree.ts"
import { type RemoveTree, usedLayers } from "./remove-unused-layers.ts"
import { type HeldFiles, readRecord, takeTemporary } from "./snapshot-records.ts"
import {
  type Layering,
  leaveLayers,
  type SnapshotDeps,
  type SnapshotPaths,
  takeSnapshot,
} from "./take-snapshot.ts"

/** All that one sandbox has on this machine. */
export interface OwnDirectory {
  readonly path: string
  /** The directories of the sandbox's home now: a snapshot changes them. */
  stack(): HomeStack
  /** The sandbox's user and group on this machine. */
  readonly user: number
  readonly group: number
  /** Nobody else on this machine has these numbers, except sandboxes created from each other's snapshots. */
  readonly isOwn: boolean
  isKept(): boolean
  /** From now on its files outlive this process. */
  keep(): void
  /** It is new, and starts with no files. */
  readonly isEmpty: boolean
  /** Takes it back when it was made for nothing. */
  discard(): Promise<void>
  remove(): Promise<void>
  /** Holds the files as they are, while the sandbox sleeps. */
  snapshot(layering: Layering, temporary?: HeldFiles["temporary"]): Promise<string>
  /** Frees what nobody else has of its layers and it does not show any more, while it sleeps. */
  freeLayers(layering: Layering): Promise<void>
}

export interface SandboxDirectoryDeps {
  /** Where all sandboxes are. */
  readonly shared: string
  /** Removes the layers that nobody uses any more. */
  readonly sweep: () => Promise<void>
  readonly remove?: RemoveTree
}

/** Run by root, a sandbox is a user of its own that this machine knows nothing of. */
const firstUser = 2_000_000
const users = 2 ** 24

/** Whether a file of this user's can only have been made in a sandbox. */
export function isSandboxUser(uid: number): boolean {
  return uid >= firstUser && uid < firstUser + users
}

const keptName = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** A new directory; or, for a persisted sandbox, the one that the same word gave before. */
export async function openOwnDirectory(
  { keptAs, from, isKeptLater = false }: Pick<SandboxSpec, "keptAs" | "from" | "isKeptLater">,
  deps: SandboxDirectoryDeps,
): Promise<OwnDirectory> {
  const { shared, sweep, remove: removeFiles = removeTree } = deps
  const path = join(shared, directoryName(keptAs))
  const isNew = !hasHome(path)
  if (isNew && from !== undefined) readRecord(shared, from)
  refuseBusy(path)
  makeWalkable(path)
  claimDirectory(path)
  let isKept = false
  const keep = () => {
    keepDirectory(path)
    isKept = true
  }
  if (keptAs !== undefined && !isKeptLater) keep()
  if (!isNew) await removeUnfinished(path, openStack(shared, path), removeFiles)
  else if (from !== undefined) startFrom(from, shared, path)
  // Other users of this machine may walk to it, and not into it.
  else makeDirectory(defaultWritable(path), { ...chooseIdentity(), mode: 0o700 })
  const stack = () => openStack(shared, path)
  const { uid, gid } = statSync(stack().writable)
  let hasLetGo = false
  const remove = async () => {
    // Once its files are partly removed nothing says so any more.
    hasLetGo ||= layersOf(path).length > 0
    await removeFiles(path)
    if (hasLetGo) await sweep()
  }
  const paths = { own: path, shared }
  const asleep = async <Result>(
    layering: Layering,
    work: (paths: SnapshotPaths, deps: SnapshotDeps) => Promise<Result>,
  ) => {
    const before = layersOf(path).length
    // A process that opens it meanwhile gets the error that it is in use.
    mkdirSync(join(path, exchangeName))
    const done = await work(paths, { ...layering, remove: removeFiles }).finally(() =>
      rmSync(join(path, exchangeName), { recursive: true }),
    )
    if (layersOf(path).length < before) await sweep()
    return done
  }
  const freeLayers = async (layering: Layering) => {
    const used = usedLayers(shared, basename(path))
    if (layersOf(path).some((layer) => !used.has(layer))) await asleep(layering, leaveLayers)
  }
  return {
    path,
    stack,
    user: uid,
    group: gid,
    isOwn: process.getuid?.() === 0,
    isKept: () => isKept,
    keep,
    isEmpty: isNew && from === undefined,
    remove,
    snapshot: (layering, temporary) =>
      asleep(layering, (at, deps) => takeSnapshot(at, deps, temporary)),
    freeLayers,
    discard: async () => {
      if (isNew) await remove()
    },
  }
}

/** One that sleeps belongs to the process that wakes it. */
function refuseBusy(path: string): void {
  const other = otherOwner(path)
  if (other === null || !existsSync(join(path, exchangeName))) return
  throw new ToolFailure({
    kind: "unavailable",
    message: `The sandbox is in use by another Toolkeep (${other.name}).`,
  })
}

function directoryName(keptAs: string | undefined): string {
  if (keptAs === undefined) return createId("sandbox")
  if (keptName.test(keptAs)) return keptDirectory(keptAs)
  throw new ToolFailure({
    kind: "invalid_args",
    message: `${JSON.stringify(keptAs.slice(0, 70))} can't name a kept sandbox.`,
    expected: 'lower-case letters, digits, "-" and "_"; at most 63',
  })
}

/** Never root: the user who runs Toolkeep, or numbers of the sandbox's own. */
function chooseIdentity(): { readonly uid: number; readonly gid: number } {
  const uid = process.getuid?.() ?? 0
  if (uid !== 0) return { uid, gid: process.getgid?.() ?? uid }
  const own = firstUser + Math.floor(Math.random() * users)
  return { uid: own, gid: own }
}

/** Outside it is the same user as the snapshot's sandbox, which owns the files. */
function startFrom(snapshot: string, shared: string, path: string): void {
  try {
    const layers = readRecord(shared, snapshot).map((layer) => layerPath(shared, layer))
    takeTemporary(shared, snapshot, path)
    writeStack(path, { writable: defaultWritable(path), layers })
    // Layers go when nobody holds them: had the snapshot gone before this one held them, they may be gone.
    readRecord(shared, snapshot)
  } catch (error) {
    rmSync(path, { recursive: true, force: true })
    throw error
  }
}

/** Removes an unfinished merge of several layers, whose process was killed, or what the merge replaced. */
async function removeUnfinished(
  path: string,
  { writable }: HomeStack,
  remove: RemoveTree,
): Promise<void> {
  for (const name of readdirSync(path)) {
    const isHome = /^home(_|$)/.test(name)
    if (isHome && name !== basename(writable)) await remove(join(path, name))
  }
}
