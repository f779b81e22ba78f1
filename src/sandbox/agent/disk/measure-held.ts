import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { blockBytes } from "./measure-home.ts"
import { runLines } from "./run-lines.ts"

/** Files that have no name any more and are still there, because processes hold them. */
export interface HeldFiles {
  readonly bytes: number
  /** Some may be held where nobody can look, such as on their way through a socket. */
  readonly isUnsure: boolean
}

const none: HeldFiles = { bytes: 0, isUnsure: false }
/** Systems refuse longer argument lists than some hundred thousand bytes. */
const threadsAtOnce = 1_000

/**
 * Looks at all threads of a sandbox, which are those of the processes below its first one. An open file, a mapped
 * one and the program itself are all links there that lead to the file, also when it has no name. A thread can have
 * open files of its own, and a process go on without its first thread, which then shows nothing any more.
 */
export async function measureHeld(first: number): Promise<HeldFiles> {
  const device = homeDevice(first)
  const threads = threadsBelow(first)
  if (device === null || threads.length === 0) return { ...none, isUnsure: isThere(first) }
  const seen = new Map<string, number>()
  let isUnsure = false
  for (let from = 0; from < threads.length; from += threadsAtOnce) {
    const some = threads.slice(from, from + threadsAtOnce)
    const found = await lookAt(some, device, seen)
    isUnsure ||= found
  }
  // One that has ended or begun meanwhile may have handed on or taken over what it held.
  isUnsure ||= !canListChildren() || !isSame(threads, threadsBelow(first))
  return { bytes: [...seen.values()].reduce((sum, bytes) => sum + bytes, 0), isUnsure }
}

async function lookAt(
  threads: readonly Thread[],
  device: number,
  seen: Map<string, number>,
): Promise<boolean> {
  // All threads of a process share its memory.
  const lasts = threads.filter(({ isLast }) => isLast)
  const below = (name: string) =>
    (name.startsWith("fd") ? threads : lasts).map(({ id }) => `/proc/${id}/${name}`)
  let isUnsure = false
  const unsure = () => {
    isUnsure = true
    return false
  }
  const isRoot = process.getuid?.() === 0
  const links = isRoot ? ["fd", "exe", "map_files"] : ["fd", "exe"]
  const files = ["-maxdepth", "1", "-type", "f", "-links", "0", "-printf", "%D %i %b\\n"]
  await Promise.all([
    runLines("find", ["-L", ...links.flatMap(below), ...files], (line) => {
      const [on, inode = "", blocks] = line.split(" ")
      if (Number(on) === device) seen.set(inode, Number(blocks) * blockBytes)
      return true
    }),
    // Files on their way through a socket, which nobody has open.
    runLines("grep", ["-rhsE", "^scm_fds:[[:space:]]*[1-9]", ...below("fdinfo")], unsure),
    // Only root may ask how large a mapped file is.
    ...(isRoot
      ? []
      : [runLines("grep", ["-hsE", " /home/user/.* \\(deleted\\)$", ...below("maps")], unsure)]),
    ...(isRoot ? [] : [runLines("find", [...below("fd"), "-prune", "!", "-readable"], unsure)]),
  ])
  return isUnsure
}

/** Children of an ended process become children of the first one: so all of them are below it. */
export function processesBelow(first: number): readonly number[] {
  const found = [first]
  for (const pid of found) found.push(...childrenOf(pid))
  return [...new Set(found)]
}

interface Thread {
  readonly id: number
  /** Of its process: the first one may have ended before the others. */
  readonly isLast: boolean
}

function threadsBelow(first: number): readonly Thread[] {
  return processesBelow(first).flatMap((pid) => {
    const ids = threadsOf(pid)
    return ids.map((id, index) => ({ id, isLast: index === ids.length - 1 }))
  })
}

function isSame(before: readonly Thread[], after: readonly Thread[]): boolean {
  const known = new Set(before.map(({ id }) => id))
  return before.length === after.length && after.every(({ id }) => known.has(id))
}

/** Some kernels are made without it. */
function canListChildren(): boolean {
  return existsSync(`/proc/${process.pid}/task/${process.pid}/children`)
}

function childrenOf(pid: number): readonly number[] {
  const lists = threadsOf(pid).map((thread) => textOf(`/proc/${pid}/task/${thread}/children`))
  return lists.join(" ").split(" ").filter(Boolean).map(Number)
}

function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** What the sandbox's home is on: temporary files and memory have devices of their own. */
function homeDevice(first: number): number | null {
  for (const pid of processesBelow(first).toReversed()) {
    try {
      return statSync(`/proc/${pid}/root/home/user`).dev
    } catch {
      // It has ended, or may not be looked at.
    }
  }
  return null
}

function isThere(pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false }) !== undefined
}
