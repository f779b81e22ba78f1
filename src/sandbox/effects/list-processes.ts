import { readFileSync } from "node:fs"
import type { LeftProcess, Listed, Unknown } from "../../contract/index.ts"
import { errorCode, sleep } from "../../kit/index.ts"
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
  // While these are there and no others are, nothing has to be listed. Mostly they stay for as long as it is awake.
  let lasting = runningBelow(first)
  let lastingTasks = tasks?.() ?? null
  let known = lasting
  const look = async () => {
    const running = runningBelow(first)
    if (areSame(running, known)) return known
    const later = await settled()
    if (areSame(later, lasting)) return lasting
    // One of them was about to end when it was listed.
    if ([...later.keys()].every((one) => lasting.has(one))) {
      lasting = later
      lastingTasks = tasks?.() ?? null
    }
    return later
  }
  /** What was killed with its command, or had only to end itself, needs a moment for that; on a busy machine several. */
  const settled = async () => {
    const deadline = performance.now() + effectsLimits.endingMostMs
    for (;;) {
      await sleep(effectsLimits.endingMs)
      const running = runningBelow(first)
      const added = [...running].filter(([identity]) => !known.has(identity))
      if (!added.some(([, pid]) => mayBeEnding(pid)) || performance.now() > deadline) return running
    }
  }
  return {
    begin() {
      const before = known
      return async () => {
        const isQuiet = known === lasting && lastingTasks !== null && tasks?.() === lastingTasks
        if (isQuiet && [...lasting.values()].every(isThereStill)) return nothing
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

function areSame(one: RunningProcesses, other: RunningProcesses): boolean {
  return one.size === other.size && [...one.keys()].every((identity) => other.has(identity))
}

/** Costs a hundredth of a look into its files. */
function isThereStill(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === "EPERM"
  }
}

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
  const { state, started } = statOf(pid)
  return "ZX".includes(state) ? null : started
}

function statOf(pid: number) {
  // "12 (a name) S 1 ...": a name can hold any character, so what follows its last parenthesis counts.
  const fields = textOf(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? []
  const [state = "X"] = fields
  const ticks = Number(fields[11]) + Number(fields[12])
  return { state: state || "X", flags: Number(fields[6]), ticks, started: fields[19] ?? "" }
}

/** Killed and not gone yet, or without a turn on a processor for as long as it takes to end. */
function mayBeEnding(pid: number): boolean {
  const { state, flags, ticks } = statOf(pid)
  if (flags & exiting) return true
  const pending = textOf(`/proc/${pid}/status`).matchAll(/^(?:Sig|Shd)Pnd:\t([0-9a-f]+)$/gm)
  const isKilled = [...pending].some(([, mask = ""]) => (Number.parseInt(mask, 16) & killed) !== 0)
  return isKilled || (state === "R" && ticks < ticksToEnd)
}

/** As the kernel has them: PF_EXITING, and the place of SIGKILL among pending signals. */
const exiting = 0x4
const killed = 1 << 8
/** Of ten milliseconds each: a shell needs one or two for its end. What has used more does something else. */
const ticksToEnd = 5

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
