import { readdirSync, readFileSync } from "node:fs"
import { setImmediate, setTimeout } from "node:timers/promises"
import { errnoOf } from "../file-error.ts"

/** What can be learnt about the processes of this machine. */
export interface ProcessTable {
  /** Whether `carrying` can find anything. */
  readonly showsMarks: boolean
  /** The living processes that carry the id in their mark. */
  carrying(id: string): Promise<readonly MarkedProcess[]>
  /** Those targets that live: process ids, and groups as negative ones, as kill has them. */
  living(targets: readonly number[]): readonly number[]
}

interface MarkedProcess {
  readonly pid: number
  readonly group: number
}

/** What every POSIX system tells: whether a signal could be sent. Zombies count as living. */
export const signalTable: ProcessTable = {
  showsMarks: false,
  carrying: async () => [],
  living: (targets) => targets.filter(canSignal),
}

function canSignal(target: number): boolean {
  return sendSignal(target, 0)
}

/** False when nothing is there to get it, or it is not ours to signal. A negative target is a group. */
export function sendSignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch {
    return false
  }
}

/** On a busy machine, it can take a while until a process has become another program. */
const looks = 100
const lookPauseMs = 5
/** Reading one process takes some 20 µs, and other work gets its turn after this many. */
const processesPerTurn = 100
const kernelThread = 0x0020_0000

type Look =
  | { readonly kind: "marked"; readonly process: MarkedProcess }
  | { readonly kind: "other" }
  /** It is just becoming another program, or gone, perhaps with a child that is not listed yet. */
  | { readonly kind: "unclear"; readonly isZombie: boolean }

/**
 * Linux shows the environment that each process was started with. Not found are processes that were
 * started without the mark (`env -i`), that overwrote it (some servers write a title there), or that
 * belong to another user.
 */
export function linuxProcessTable(directory: string): ProcessTable {
  const pids = () => readdirSync(directory).filter((name) => /^\d+$/.test(name))

  function look(pid: string, id: string): Look {
    const environment = read(`${directory}/${pid}/environ`)
    if (environment === "denied") return { kind: "other" }
    if (environment?.length && !carriesMark(environment, id)) return { kind: "other" }
    if (environment?.length === 0 && hasNoEnvironment(pid)) return { kind: "other" }
    const status = readStatus(`${directory}/${pid}/stat`)
    if (status?.isKernelThread) return { kind: "other" }
    const isZombie = status?.isZombie ?? false
    if (!status || isZombie || !environment?.length) return { kind: "unclear", isZombie }
    return { kind: "marked", process: { pid: Number(pid), group: status.group } }
  }

  /** One that is just becoming another program has neither arguments nor an environment for a moment. */
  function hasNoEnvironment(pid: string): boolean {
    const hasArguments = Boolean(read(`${directory}/${pid}/cmdline`)?.length)
    return hasArguments && read(`${directory}/${pid}/environ`)?.length === 0
  }

  /** Looks at every process that is not yet known to be another's, and adds to those. */
  async function lookAtAll(id: string, others: Set<string>): Promise<MarkedProcess[] | "unclear"> {
    const found: MarkedProcess[] = []
    let unclear = false
    for (const [index, pid] of pids().entries()) {
      if (index % processesPerTurn === processesPerTurn - 1) await setImmediate()
      if (others.has(pid)) continue
      const seen = look(pid, id)
      if (seen.kind === "marked") found.push(seen.process)
      else if (seen.kind === "other") others.add(pid)
      else unclear = true
      // Its children are listed by the next look, so that one look at it is enough.
      if (seen.kind === "unclear" && seen.isZombie) others.add(pid)
    }
    return found.length === 0 && unclear ? "unclear" : found
  }

  async function carrying(id: string): Promise<readonly MarkedProcess[]> {
    const others = new Set<string>()
    for (let times = 0; times < looks; times += 1) {
      if (times > 0) await setTimeout(lookPauseMs)
      const found = await lookAtAll(id, others).catch(() => "unclear" as const)
      if (found !== "unclear") return found
    }
    return []
  }

  function living(targets: readonly number[]): readonly number[] {
    const reachable = targets.filter(canSignal)
    try {
      return withoutZombies(reachable)
    } catch {
      // With too many files open nothing more can be learnt: better to end what may be dead already.
      return reachable
    }
  }

  /** Zombies can be signalled too, and where this process is the container's first they stay. */
  function withoutZombies(targets: readonly number[]): readonly number[] {
    const isLiving = (pid: number) => readStatus(`${directory}/${pid}/stat`)?.isZombie === false
    if (!targets.some((target) => target < 0)) return targets.filter(isLiving)
    const statuses = pids().map((pid) => readStatus(`${directory}/${pid}/stat`))
    const groups = new Set(statuses.map((status) => (status?.isZombie ? 0 : status?.group)))
    return targets.filter((target) => (target < 0 ? groups.has(-target) : isLiving(target)))
  }

  return { showsMarks: true, carrying, living }
}

interface Status {
  readonly group: number
  readonly isZombie: boolean
  readonly isKernelThread: boolean
}

function readStatus(path: string): Status | null {
  const text = read(path)?.toString("latin1")
  if (!text?.includes(")")) return null
  // The program's name, in parentheses, may itself contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state = "", , group, , , , flags] = fields
  return {
    group: Number(group),
    isZombie: state === "Z" || state === "X",
    isKernelThread: (Number(flags) & kernelThread) !== 0,
  }
}

/** Null when the process is gone. */
function read(path: string): Buffer | "denied" | null {
  try {
    return readFileSync(path)
  } catch (error) {
    const errno = errnoOf(error) ?? ""
    if (["EACCES", "EPERM"].includes(errno)) return "denied"
    if (["ENOENT", "ESRCH"].includes(errno)) return null
    throw error
  }
}

/**
 * Every process of a sandbox carries this variable: the ids of its sandbox and its command, joined by
 * ":". It is how a child that left its process group is found and known to be ours.
 */
export const markVariable = "TOOLKEEP_SANDBOX"

export type Environment = Readonly<Record<string, string | undefined>>

/** Toolkeep may itself run inside a sandbox: then its commands belong to the outer one as well. */
export function markValue(own: Environment, ids: readonly string[]): string {
  const outer = own[markVariable]
  return (outer ? [outer, ...ids] : ids).join(":")
}

/** Does an environment, as the system stores it (`NAME=value` ended by NULs), carry the id? */
function carriesMark(environment: Buffer, id: string): boolean {
  // Most processes don't hold the id at all; only the others are worth taking apart.
  if (!environment.includes(id)) return false
  const start = `${markVariable}=`
  return environment
    .toString("latin1")
    .split("\0")
    .some((entry) => entry.startsWith(start) && entry.slice(start.length).split(":").includes(id))
}
