import { type BigIntStats, closeSync, fstatSync, readlinkSync } from "node:fs"
import { type MayFollow, pathOf, walkInside } from "./walk-inside.ts"

/** A file or directory of this machine, as it was when it was allowed to be shown in a sandbox. */
export interface KnownPath {
  /** Its real path: no part of it is a link. */
  readonly path: string
  readonly isDirectory: boolean
  /** What tells it from any other, and stays when it is renamed. */
  readonly key: string
  /** Another one that was made later has the same key in the worst case, and never the same of both. */
  readonly madeAt: bigint
  /** The keys of all directories on the way to it, links included. */
  readonly passed: ReadonlySet<string>
}

/** Null when nothing is there, or behind a link that may not be followed. */
export function identifyPath(path: string, mayFollow?: MayFollow): KnownPath | null {
  const found = path.startsWith("/") ? walkInside("/", path, mayFollow) : null
  if (found === null) return null
  try {
    const stats = fstatSync(found.fd, { bigint: true })
    return {
      path: readlinkSync(pathOf(found)),
      isDirectory: stats.isDirectory(),
      key: keyOf(stats),
      madeAt: stats.birthtimeNs,
      passed: new Set(found.passed.map(keyOf)),
    }
  } finally {
    closeSync(found.fd)
  }
}

/** Whether the same one still is at the same path, with no link on the way. */
export function isUnchanged({ path, key, madeAt }: KnownPath): boolean {
  const now = identifyPath(path, () => false)
  return now !== null && now.path === path && now.key === key && now.madeAt === madeAt
}

/** Whether what is in the one can change what, or where, the other is. */
export function isWithin(inner: KnownPath, outer: KnownPath): boolean {
  return inner.passed.has(outer.key)
}

/** As `stat -c %d:%i` prints it. */
export function keyOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`
}
