import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { isDead } from "../../node/index.ts"
import { keptDirectory } from "../agent/directory/home-stack.ts"
import { removeTree } from "../agent/directory/remove-tree.ts"
import { removeUnusedLayers } from "../agent/directory/remove-unused-layers.ts"
import { recordNames, recordPath } from "../agent/directory/snapshot-records.ts"
import { cleanLimits } from "../limits.ts"
import { isSharedInUse } from "../owners/abandoned.ts"

/** Something that nobody has used for long, or whose Toolkeep has ended without removing it. */
export interface OldThing {
  readonly kind: "sandbox" | "snapshot" | "image" | "programs"
  readonly path: string
  readonly lastUsedMs: number
}

/** How long after its last use something of each kind is old. */
export interface OldAges {
  readonly sandboxesMs: number
  readonly snapshotsMs: number
  readonly imagesMs: number
  readonly programsMs: number
}

/** What persisted sessions say they need. */
export interface NeededThings {
  readonly keptAs: ReadonlySet<string>
  readonly snapshots: ReadonlySet<string>
}

/** What is old in a directory where a host stores its sandboxes. What a living process has is never among it. */
export function oldThings(
  shared: string,
  ages: OldAges,
  { needed, now }: { readonly needed: NeededThings; readonly now: number },
): readonly OldThing[] {
  // The times of files have fractions of a millisecond that clocks have not: what was used just now is 0 old.
  const isOld = (path: string, age: number) => Math.max(0, now - lastUse(path)) >= age
  const neededNames = new Set([...needed.keptAs].map(keptDirectory))
  const sandboxes = pathsIn(shared, /^(sandbox|kept)_/)
  const left = sandboxes.filter((path) => {
    const name = path.slice(shared.length + 1)
    if (neededNames.has(name) || isOwned(path)) return false
    // One that was not to be persisted is of no use to anybody once its process has ended.
    const isKept = !name.startsWith("sandbox_")
    // One without an owner may be being made right now.
    const temporaryMs = ownerIn(path) === "" ? cleanLimits.unfinishedMs : 0
    return isOld(path, isKept ? ages.sandboxesMs : temporaryMs)
  })
  const snapshots = recordNames(shared)
    .filter((id) => !needed.snapshots.has(id))
    .map((id) => recordPath(shared, id))
    .filter((path) => !isOwned(path) && isOld(path, ages.snapshotsMs))
  const isInUse = isAnyInUse(shared)
  const images = isInUse ? [] : pathsIn(join(shared, "images"), /./)
  const programs = isInUse ? [] : programsIn(join(shared, "shared"))
  return [
    ...left.map(thing("sandbox")),
    ...snapshots.map(thing("snapshot")),
    ...images.filter((path) => isOld(path, ages.imagesMs)).map(thing("image")),
    ...programs.filter((path) => isOld(path, ages.programsMs)).map(thing("programs")),
  ]
}

/** A running sandbox sees images and programs; nobody says which. */
function isAnyInUse(shared: string): boolean {
  return pathsIn(shared, /^(sandbox|kept)_/).some(isOwned) || isSharedInUse(join(shared, "shared"))
}

/** The sandboxes and snapshots of a session, in a directory where a host stores them. */
export function thingsOf(shared: string, { keptAs, snapshots }: NeededThings): readonly OldThing[] {
  const sandboxes = [...keptAs].map((name) => join(shared, keptDirectory(name)))
  const records = [...snapshots].map((id) => recordPath(shared, id))
  return [
    ...sandboxes.filter((path) => existsSync(path)).map(thing("sandbox")),
    ...records.filter((path) => existsSync(path)).map(thing("snapshot")),
  ]
}

/** Needs no room on the disk. Layers go with the last that has them. */
export async function removeOldThings(shared: string, things: readonly OldThing[]): Promise<void> {
  for (const { kind, path } of things) {
    // Since it was found to be old, minutes may have passed, and somebody may have taken it up.
    const isTaken = kind === "sandbox" || kind === "snapshot" ? isOwned(path) : isAnyInUse(shared)
    if (isTaken) throw new Error("It is in use again.")
    await removeTree(path)
  }
  await removeUnusedLayers(shared, removeTree)
}

function thing(kind: OldThing["kind"]) {
  return (path: string): OldThing => ({ kind, path, lastUsedMs: lastUse(path) })
}

/** Copies of programs and settings, each version beside the other; and what was left half made. */
function programsIn(shared: string): readonly string[] {
  return [
    ...pathsIn(shared, /^(gnu|etc|packed)-|^trial-|\.new_/),
    ...pathsIn(join(shared, "bin"), /^node-|\.new_/),
  ]
}

function pathsIn(directory: string, pattern: RegExp): readonly string[] {
  if (!existsSync(directory)) return []
  const names = readdirSync(directory).filter((name) => pattern.test(name))
  return names.map((name) => join(directory, name))
}

function lastUse(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
}

/** Whether a process has it that lives, as far as can be known. */
export function isOwned(directory: string): boolean {
  const owner = ownerIn(directory)
  return owner !== "" && !isDead(owner)
}

function ownerIn(directory: string): string {
  try {
    return readFileSync(join(directory, "owner"), "utf8")
  } catch {
    return ""
  }
}
