import { readFileSync } from "node:fs"
import { processesBelow } from "../disk/measure-held.ts"

export interface InsideView {
  /** Nothing runs but what runs in every sandbox that nobody uses. */
  readonly isQuiet: boolean
  /** The numbers of the files that processes share with their memory. */
  readonly mapped: ReadonlySet<string>
}

/** The first process of a sandbox, and its agent. */
export const restingProcesses = 2

/** A file that is mapped can change without another time of its last change. */
export function lookInside(first: number | null): InsideView {
  if (first === null) return { isQuiet: false, mapped: new Set() }
  const processes = processesBelow(first)
  if (processes.length <= restingProcesses) return { isQuiet: true, mapped: new Set() }
  return { isQuiet: false, mapped: new Set(processes.flatMap(mappedBy)) }
}

/** "7f12-7f13 rw-s 00000000 fe:00 12345 /home/user/file": the fourth letter says that writes reach the file. */
const sharedMapping = /^\S+ ...s \S+ \S+ (\d+)/gm

function mappedBy(pid: number): readonly string[] {
  try {
    const maps = readFileSync(`/proc/${pid}/maps`, "utf8")
    return [...maps.matchAll(sharedMapping)].flatMap(([, inode = ""]) =>
      inode === "0" ? [] : [inode],
    )
  } catch {
    // It has ended, or may not be looked at.
    return []
  }
}
