import type { MemoryEffects, Unknown } from "../../contract/index.ts"
import type { SandboxSpan, SandboxWatch } from "../host/host.ts"
import { type GroupMeter, type MemoryCount, openGroupMeter } from "./group-meter.ts"
import { HomeWatch } from "./home-watch.ts"
import { type ProcessWatch, type ProcessWatchOptions, watchProcesses } from "./list-processes.ts"

/** What a sandbox that is awake shows of itself to this machine. */
export interface ShownInside {
  /** The first process, on this machine; null when it has ended. */
  firstProcess(): Promise<number | null>
  /** The directories of its control group; none where there is no group. */
  readonly groups?: readonly string[] | undefined
  /** Where the first process may be counted elsewhere: both, or null where they are not this machine's. */
  locate?(): Promise<LocatedProcess | null>
}

/** A process of this machine, and the directories of its control group. */
export interface LocatedProcess {
  readonly first: number
  readonly groups: readonly string[]
}

export interface AgentWatchOptions {
  /** Its home as a directory of this machine, seen past this process where it has layers; null where that takes one. */
  readonly home: (first: number | null) => string | null
  readonly shownAs: string
  readonly processesBelow: ProcessWatchOptions["processesBelow"]
  /** Wakes it. */
  readonly inside: () => Promise<ShownInside>
}

/** One time between two starts of the sandbox. */
interface Waking {
  readonly shown: ShownInside
  readonly home: string | null
  readonly meter: GroupMeter
  /** Null where its processes can't be seen. */
  readonly processes: ProcessWatch | null
}

/** Looks at a sandbox whose processes and files are this machine's own. */
export function watchAgentSandbox(options: AgentWatchOptions): SandboxWatch {
  let waking: Waking | null = null
  const files = new HomeWatch({
    shownAs: options.shownAs,
    directory: () => waking?.home ?? "",
    // The logs of background processes.
    leftOut: ".toolkeep",
  })

  async function current(): Promise<Waking> {
    const shown = await options.inside()
    if (waking?.shown === shown) return waking
    const located = await locate(shown)
    waking?.meter.close()
    const meter = openGroupMeter(located?.groups ?? [], Date.now())
    const processes = located && watchBelow(located.first, shown, meter)
    waking = { shown, meter, processes, home: options.home(located?.first ?? null) }
    return waking
  }
  function watchBelow(first: number, shown: ShownInside, { tasks }: GroupMeter): ProcessWatch {
    const isThere = async () => (await shown.firstProcess()) === first
    return watchProcesses({ first, processesBelow: options.processesBelow, isThere, tasks })
  }

  return {
    async begin(): Promise<SandboxSpan> {
      const { meter, processes, home } = await current()
      const span = home === null ? null : await files.begin()
      const memory = meter.countMemory?.() ?? null
      const leftRunning = processes?.begin() ?? (async () => elsewhere)
      const startedMs = performance.now()
      return {
        async end() {
          const left = await leftRunning()
          return {
            files: (await span?.end(performance.now() - startedMs)) ?? elsewhere,
            processes: left,
            memory: processes ? readMemory(memory) : elsewhere,
          }
        },
      }
    },
    close() {
      files.close()
      waking?.meter.close()
      waking = null
    },
  }
}

const elsewhere: Unknown = { unknown: "its processes can't be seen from this machine" }

async function locate(shown: ShownInside): Promise<LocatedProcess | null> {
  if (shown.locate) return shown.locate()
  const first = await shown.firstProcess()
  if (first === null) throw new Error("the sandbox has ended")
  return { first, groups: shown.groups ?? [] }
}

function readMemory(count: MemoryCount | null): MemoryEffects | Unknown {
  if (count === null) {
    return { unknown: "it has no control group that this user may use, and those count memory" }
  }
  try {
    return { peak: count.end(), since: count.sinceMs }
  } catch {
    return { unknown: "the sandbox was put to sleep meanwhile" }
  }
}
