import { dirname, resolve } from "node:path"
import { ToolFailure } from "../../../contract/index.ts"
import { isSandboxUser } from "../../agent/directory/sandbox-directory.ts"
import type { Mount } from "../../host/host.ts"
import { permanentFailure } from "../../host/unsupported.ts"
import { sandboxLimits } from "../../limits.ts"
import {
  identifyPath,
  isUnchanged,
  isWithin,
  type KnownPath,
  keyOf,
} from "../../paths/known-path.ts"
import type { MayFollow } from "../../paths/walk-inside.ts"
import type { ImageRoot } from "./images/image-root.ts"

/** A mount whose source is what was checked, by its real path and by what is there. */
export interface CheckedMount extends Mount {
  readonly known: KnownPath
}

export interface MountCheckOptions {
  /** The directories of Toolkeep's own files. */
  readonly hidden: readonly string[]
  /** Images of sandboxes by name: "host", or a path. */
  readonly images: Readonly<Record<string, string>>
}

/** A name of its own in a directory that commands can't change. */
const targetPattern = /^\/mnt\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/

/**
 * Commands change what is in a writable mount: they could put a link where another mount's source is, or
 * goes. So none lies in another, and links that commands may have made are not followed.
 */
export function createMountCheck({ hidden, images }: MountCheckOptions) {
  /** Directories that commands of some sandbox can change. */
  const changing = new Set<string>()
  const mayFollow: MayFollow = (link, passed) =>
    !isSandboxUser(Number(link.uid)) && !passed.some((above) => changing.has(keyOf(above)))

  function check({ source, target, writable }: Mount): CheckedMount {
    if (!targetPattern.test(target)) {
      throw refused(`${JSON.stringify(target.slice(0, 100))} is not a path such as /mnt/project.`)
    }
    const known = identifyPath(source, mayFollow)
    if (!known?.isDirectory) {
      throw refused(`${JSON.stringify(source.slice(0, 200))} is not a directory of this machine.`)
    }
    const own = hidden.map((path) => identifyPath(resolve(path)))
    if (own.some((one) => one !== null && meets(known, one))) {
      throw refused(`${known.path} holds Toolkeep's own files, which no sandbox may see.`)
    }
    if (writable) refuseImages(known)
    return { source: known.path, target, writable, known }
  }

  /** A process that changes an image, or a link to it, chooses what other sandboxes see of this machine. */
  function refuseImages(known: KnownPath): void {
    for (const [name, path] of Object.entries(images)) {
      if (path === "host" || !canChange(known, resolve(path))) continue
      throw refused(
        `${known.path} holds the image ${JSON.stringify(name)}, which commands may not change. Show it to be read only, or keep the image elsewhere.`,
      )
    }
  }

  /** The mounts that a new sandbox may have. */
  return (mounts: readonly Mount[], root: ImageRoot): readonly CheckedMount[] => {
    if (mounts.length > 0 && root.kind !== "host") {
      throw refused("Directories of this machine are shown only in sandboxes of its own programs.")
    }
    if (mounts.length > sandboxLimits.mounts) {
      throw refused(`A sandbox shows at most ${sandboxLimits.mounts} directories.`)
    }
    const checked = mounts.map(check)
    const targets = new Set(checked.map(({ target }) => target))
    if (targets.size < checked.length) throw refused("Two directories have one place inside.")
    for (const outer of checked) for (const inner of checked) refuseNested(inner, outer)
    for (const { known, writable } of checked) if (writable) changing.add(known.key)
    return checked
  }
}

/** Whether a writer in a directory can change what is at a path, or put something there. */
function canChange(known: KnownPath, path: string): boolean {
  const there = identifyPath(path)
  if (there && isWithin(known, there)) return true
  const above = there ?? nearest(path)
  return above !== null && (above.key === known.key || isWithin(above, known))
}

/** What is there of a path. */
function nearest(path: string): KnownPath | null {
  return identifyPath(path) ?? (path === "/" ? null : nearest(dirname(path)))
}

function meets(one: KnownPath, other: KnownPath): boolean {
  return one.key === other.key || isWithin(one, other) || isWithin(other, one)
}

function refuseNested(inner: CheckedMount, outer: CheckedMount): void {
  if (!outer.writable || inner === outer) return
  const isSame = inner.known.key === outer.known.key
  if (isSame ? inner.writable : !isWithin(inner.known, outer.known)) return
  throw refused(
    `${inner.source} lies in ${outer.source}, which commands may change. Show only the outer one, or show both to be read.`,
  )
}

/** Before each start: what takes the place of a checked directory is not shown instead. */
export function requireUnchanged(mounts: readonly CheckedMount[]): void {
  const changed = mounts.find(({ known }) => !isUnchanged(known))
  if (changed) throw hasChanged(changed)
}

/**
 * Said inside before anything else: that what is mounted is what was checked, also when it was swapped
 * while that was done. On one line, and without a word when all is well.
 */
export function proveMounts(mounts: readonly CheckedMount[]): string {
  if (mounts.length === 0) return ""
  const targets = mounts.map(({ target }) => target).join(" ")
  const keys = mounts.map(({ known }) => known.key).join("\\n")
  return `[[ $(stat -c %d:%i -- ${targets}) == $'${keys}' ]] || { echo ${otherMount}; exit 1; };`
}

const otherMount = "other-mount"

/** What an agent has said that did not start. */
export function explainMounts(complaint: string, mounts: readonly CheckedMount[]): void {
  const [first] = mounts
  if (complaint === otherMount && first) throw hasChanged(first)
}

function hasChanged({ source, target }: CheckedMount): ToolFailure {
  return permanentFailure(
    `${source} is no longer the directory that was to be shown at ${target}. Put it back, or make another sandbox.`,
  )
}

function refused(message: string): ToolFailure {
  return new ToolFailure({ kind: "rejected", message, field: "mounts" })
}
