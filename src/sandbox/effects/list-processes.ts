import { readFileSync } from "node:fs"
import type { LeftProcess, Listed, Unknown } from "../../contract/index.ts"
import { sleep } from "../../kit/index.ts"
import { effectsLimits } from "../limits.ts"

/** By its number on this machine and the time of its start, so that no number is mistaken for a later one's. */
type RunningProcesses = ReadonlyMap<string, number>

export interface ProcessWatch {
  /** Tells from now on what runs and did not run before. */
  begin(): () => Promise<Listed<LeftProcess> | Unknown>
}

export interface ProcessWatchOptions {
  /** The first process of the sandbox, below which all others are. */
  readonly first: number
  readonly processesBelow: (first: number) => readonly number[]
  readonly isThere: () => Promise<boolean>
  /** How many processes and threads there are, where the kernel counts them. */
  readonly tasks: (() => number) | null
}

/** Tells which processes commands leave behind. */
export function watchProcesses(options: ProcessWatchOptions): ProcessWatch {
  const { first, isThere, tasks } = options
  const runningBelow = (top: number) => identified(options.processesBelow(top))
  // What is there before any command runs stays for as long as the sandbox is awake.
  const lasting = runningBelow(first)
  const lastingTasks = tasks?.() ?? null
  let known = lasting
  const look = async () => {
    const running = runningBelow(first)
    const isSame = running.size === known.size && [...running.keys()].every((one) => known.has(one))
    if (isSame) return known
    // What was killed with its command may need a moment to be gone.
    await sleep(effectsLimits.endingMs)
    const later = runningBelow(first)
    return later.size === lasting.size ? lasting : later
  }
  return {
    begin() {
      const before = known
      return async () => {
        const isQuiet = known === lasting && lastingTasks !== null && tasks?.() === lastingTasks
        if (isQuiet) return nothing
        if (!(await isThere())) return { unknown: "the sandbox was started again meanwhile" }
        known = await look()
        const added = [...known].filter(([identity]) => !before.has(identity))
        const left = added.flatMap(([, pid]) => describeProcess(pid) ?? [])
        return { count: left.length, first: left.slice(0, effectsLimits.listed) }
      }
    },
  }
}

const nothing: Listed<never> = { count: 0, first: [] }

function identified(pids: readonly number[]): RunningProcesses {
  const running = new Map<string, number>()
  for (const pid of pids) {
    const identity = identityOf(pid)
    if (identity !== null) running.set(`${pid} ${identity}`, pid)
  }
  return running
}

/** When it was started; null for one that has ended. */
function identityOf(pid: number): string | null {
  // "12 (a name) S 1 ...": a name can hold any character, so what follows its last parenthesis counts.
  const fields = textOf(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? []
  const [state = "X"] = fields
  return "ZX".includes(state) ? null : (fields[19] ?? "")
}

function describeProcess(pid: number): LeftProcess | null {
  const words = textOf(`/proc/${pid}/cmdline`).split("\0").join(" ").trim()
  const status = textOf(`/proc/${pid}/status`)
  const inside = /^NSpid:\s(.*)$/m.exec(status)?.[1]?.split(/\s/).at(-1)
  if (inside === undefined) return null
  const command = words || (/^Name:\t(.*)$/m.exec(status)?.[1] ?? "")
  return { pid: Number(inside), command: command.slice(0, effectsLimits.commandCharacters) }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
