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
}

export interface AgentWatchOptions {
  /** Its home as a directory of this machine, seen past this process where it has layers. */
  readonly home: (first: number) => string
  readonly shownAs: string
  readonly processesBelow: ProcessWatchOptions["processesBelow"]
  /** Wakes it. */
  readonly inside: () => Promise<ShownInside>
}

/** One time between two starts of the sandbox. */
interface Waking {
  readonly shown: ShownInside
  readonly home: string
  readonly meter: GroupMeter
  readonly processes: ProcessWatch
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
    const first = await shown.firstProcess()
    if (first === null) throw new Error("the sandbox has ended")
    waking?.meter.close()
    const meter = openGroupMeter(shown.groups ?? [], Date.now())
    const isThere = async () => (await shown.firstProcess()) === first
    const { processesBelow } = options
    const processes = watchProcesses({ first, processesBelow, isThere, tasks: meter.tasks })
    waking = { shown, meter, processes, home: options.home(first) }
    return waking
  }

  return {
    async begin(): Promise<SandboxSpan> {
      const { meter, processes } = await current()
      const span = await files.begin()
      const memory = meter.countMemory?.() ?? null
      const leftRunning = processes.begin()
      const startedMs = performance.now()
      return {
        async end() {
          const left = await leftRunning()
          return {
            files: await span.end(performance.now() - startedMs),
            ...{ processes: left, memory: readMemory(memory) },
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

function readMemory(count: MemoryCount | null): MemoryEffects | Unknown {
  if (count === null) {
    return { unknown: "this user may not make control groups, which count memory" }
  }
  try {
    return { peak: count.end(), since: count.sinceMs }
  } catch {
    return { unknown: "the sandbox was put to sleep meanwhile" }
  }
}
