import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Unknown } from "../../../contract/index.ts"
import type { RunningUsage } from "../../host/host.ts"
import { processesBelow } from "../disk/measure-held.ts"

/** What a sandbox without processes uses. */
export const nothingRuns: RunningUsage = { cpuMs: 0, memoryBytes: 0, processes: 0 }

const notCounted: Unknown = {
  unknown: "this user may not make control groups, which count it",
}

export interface RunningSandbox {
  /** Its first process, below which all others are. */
  readonly first: number
  /** The directories of its control group; none where there is no group. */
  readonly groups: readonly string[]
}

/** What the processes of a sandbox on this machine use now. */
export function readUsage({ first, groups }: RunningSandbox): RunningUsage {
  return {
    cpuMs: groupTime(groups) ?? processTime(first),
    memoryBytes: groupMemory(groups) ?? notCounted,
    processes: numberIn(groups, "pids.current") ?? processesBelow(first).length,
  }
}

/** Only the newer make of control groups counts time in the group that also limits it. */
function groupTime(groups: readonly string[]): number | null {
  const found = /^usage_usec (\d+)$/m.exec(textIn(groups, "cpu.stat") ?? "")?.[1]
  return found === undefined ? null : Number(found) / 1_000
}

/** Without the files that the kernel only holds as long as nobody needs the room. */
function groupMemory(groups: readonly string[]): number | null {
  const all = numberIn(groups, "memory.current") ?? numberIn(groups, "memory.usage_in_bytes")
  if (all === null) return null
  const held = /^(?:total_)?inactive_file (\d+)$/m.exec(textIn(groups, "memory.stat") ?? "")?.[1]
  return Math.max(0, all - Number(held ?? 0))
}

/** The kernel's unit of time for processes, which is the same on all machines that Node runs on. */
const tickMs = 10

/** Of all that run, and of those that have ended: a parent has the time of children that it has waited for. */
function processTime(first: number): number {
  const ticks = processesBelow(first).map((pid) => {
    const fields = (read(`/proc/${pid}/stat`) ?? "").split(") ").at(-1)?.split(" ") ?? []
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  })
  return ticks.reduce((sum, one) => sum + one, 0) * tickMs
}

function numberIn(groups: readonly string[], name: string): number | null {
  const text = textIn(groups, name)
  return text === null ? null : Number(text)
}

/** Of both makes of control groups: one directory for all that is counted, or one for each. */
function textIn(groups: readonly string[], name: string): string | null {
  for (const group of groups) {
    const text = read(join(group, name))
    if (text !== null) return text
  }
  return null
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return null
  }
}
