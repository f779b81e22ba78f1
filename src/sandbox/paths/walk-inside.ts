import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs"
import { limits } from "../../contract/index.ts"
import { errorCode } from "../../kit/index.ts"

/** Linux's flag for a descriptor that stands for a path: nothing is opened, so no pipe or device notices. */
const O_PATH = 0o10000000
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const mostLinks = 40

/** A file or directory that a descriptor holds: whatever takes its name, it stays the same one. */
export interface HeldPath {
  readonly fd: number
  readonly stats: BigIntStats
}

export interface WalkedPath extends HeldPath {
  /** Every directory on the way, also those that a link has led out of again. */
  readonly passed: readonly BigIntStats[]
}

/** Whether a link is followed, after these directories. */
export type MayFollow = (link: BigIntStats, passed: readonly BigIntStats[]) => boolean

/** The path of this machine by which a held entry can be used, whatever its name is. */
export function pathOf({ fd }: Pick<HeldPath, "fd">): string {
  return `/proc/self/fd/${fd}`
}

/**
 * What a path leads to for somebody whose root is `top`: absolute links start there, and ".." ends there.
 * Each step is taken by descriptor and follows no link, so nothing that is swapped meanwhile leads out.
 * Null when nothing is there, or a link that may not be followed. The caller closes the descriptor.
 */
export function walkInside(
  top: string,
  path: string,
  mayFollow: MayFollow = () => true,
): WalkedPath | null {
  if (path.includes("\0") || Buffer.byteLength(path) > limits.pathBytes) return null
  const held: HeldPath[] = []
  const passed: BigIntStats[] = []
  const left = path.split("/").reverse()
  let links = mostLinks
  try {
    held.push(hold(top, 0))
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      const here = held.at(-1)
      if (!here?.stats.isDirectory()) return null
      if (name === "..") leave(held)
      if (name === "" || name === "." || name === "..") continue
      passed.push(here.stats)
      const at = `${pathOf(here)}/${name}`
      const next = hold(at, O_NOFOLLOW)
      if (!next.stats.isSymbolicLink()) {
        held.push(next)
        continue
      }
      closeSync(next.fd)
      if (links === 0 || !mayFollow(next.stats, passed)) return null
      links -= 1
      const target = readlinkSync(at)
      if (target.startsWith("/")) while (held.length > 1) leave(held)
      left.push(...target.split("/").reverse())
    }
    const found = held.pop()
    return found ? { ...found, passed } : null
  } catch (error) {
    if (nothing.includes(errorCode(error) ?? "")) return null
    throw error
  } finally {
    for (const { fd } of held) closeSync(fd)
  }
}

/** Opens a regular file for reading; null when there is none. Never waits: a pipe is not opened at all. */
export function openFileInside(top: string, path: string): HeldPath | null {
  const found = walkInside(top, path)
  return found && openHeldFile(found)
}

/** The regular file at a path of this machine, links followed. */
export function openFile(path: string): HeldPath | null {
  return openHeldFile(hold(path, 0))
}

function openHeldFile(found: HeldPath): HeldPath | null {
  try {
    if (!found.stats.isFile()) return null
    const fd = openSync(pathOf(found), O_RDONLY | O_NONBLOCK)
    return { fd, stats: fstatSync(fd, { bigint: true }) }
  } finally {
    closeSync(found.fd)
  }
}

/** What a path leads to; null when that is nothing. */
export function lookInside(top: string, path: string): BigIntStats | null {
  const found = walkInside(top, path)
  if (found) closeSync(found.fd)
  return found?.stats ?? null
}

function hold(path: string, flags: number): HeldPath {
  const fd = openSync(path, O_PATH | flags)
  try {
    return { fd, stats: fstatSync(fd, { bigint: true }) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Above the topmost directory is that directory itself. */
function leave(held: HeldPath[]): void {
  const last = held.length > 1 ? held.pop() : undefined
  if (last) closeSync(last.fd)
}

const nothing = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG", "EINVAL"]
