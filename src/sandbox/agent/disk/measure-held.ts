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
const processesAtOnce = 1_000

/**
 * Looks at all processes of a sandbox, which are those below its first one. An open file, a mapped one and
 * the program itself are all links there that lead to the file, also when it has no name.
 */
export async function measureHeld(first: number): Promise<HeldFiles> {
  const device = homeDevice(first)
  const processes = processesBelow(first)
  if (device === null || processes.length === 0) return { ...none, isUnsure: isThere(first) }
  const seen = new Map<string, number>()
  let isUnsure = false
  for (let from = 0; from < processes.length; from += processesAtOnce) {
    const some = processes.slice(from, from + processesAtOnce)
    const found = await lookAt(some, device, seen)
    isUnsure ||= found
  }
  // One that has ended or begun meanwhile may have handed on or taken over what it held.
  isUnsure ||= !canListChildren() || !isSame(processes, processesBelow(first))
  return { bytes: [...seen.values()].reduce((sum, bytes) => sum + bytes, 0), isUnsure }
}

async function lookAt(
  processes: readonly number[],
  device: number,
  seen: Map<string, number>,
): Promise<boolean> {
  const below = (name: string) => processes.map((pid) => `/proc/${pid}/${name}`)
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

/** Children of an ended process become the first one's: so all of them are below it. */
function processesBelow(first: number): readonly number[] {
  const found = [first]
  for (const pid of found) found.push(...childrenOf(pid))
  return [...new Set(found)]
}

function isSame(before: readonly number[], after: readonly number[]): boolean {
  return before.length === after.length && after.every((pid) => before.includes(pid))
}

/** Some kernels are made without it. */
function canListChildren(): boolean {
  return existsSync(`/proc/${process.pid}/task/${process.pid}/children`)
}

function childrenOf(pid: number): readonly number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const lists = threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/children`))
    return lists.join(" ").split(" ").filter(Boolean).map(Number)
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
