import { join } from "node:path"
import type { Capabilities, Network } from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import type { CommandOutput } from "../commands/watch-command.ts"
import type { AgentWatchOptions, LocatedProcess } from "../effects/watch-agent-sandbox.ts"
import type {
  DiskRoom,
  RunningUsage,
  Sandbox,
  SandboxCheckpoint,
  SandboxUsage,
  SandboxWatch,
} from "../host/host.ts"
import type { Operation, OperationControl, OperationResults } from "../host/operation.ts"
import {
  requireCheckpoints,
  requireNetwork,
  requireSnapshots,
  sandboxAsleep,
  sandboxClosed,
} from "../host/unsupported.ts"
import { diskLimits, sandboxLimits } from "../limits.ts"
import { injectedNode } from "../programs/injected-node.ts"
import type { RecordFilesOptions } from "./checkpoint/record-files.ts"
import type { Agent } from "./commands/agent.ts"
import type { Exchange } from "./commands/exchange.ts"
import { type AgentScope, runCommand } from "./commands/run-command.ts"
import { type HeldFiles as HeldRecord, temporaryName } from "./directory/snapshot-records.ts"
import { checkpointRefused, type DiskFull, snapshotRefused } from "./disk/disk-full.ts"
import { type HeldFiles, measureHeld, processesBelow } from "./disk/measure-held.ts"
import type { SharedUse } from "./disk/measure-home.ts"
import { requireRoom } from "./disk/require-room.ts"
import { type DiskLook, watchDisk } from "./disk/watch-disk.ts"
import { copyFile, makeDirectory, removeFile, renameFile } from "./files/change-files.ts"
import {
  agentRunScript,
  listDirectory,
  readFile,
  statFile,
  writeFile,
} from "./files/file-operations.ts"
import { endOthers, restoreTemporary, saveTemporary } from "./files/keep-temporary.ts"
import { exportTree, importTree } from "./files/stream-trees.ts"
import { connectPort } from "./network/connect-port.ts"
import { createSandboxNetwork, type SandboxNetworkDeps } from "./network/sandbox-network.ts"
import { nothingRuns } from "./usage/read-usage.ts"
import { createUsedDisk } from "./usage/used-disk.ts"

/** What lives while a sandbox is awake: its agent and the way to it. */
export interface Inside {
  readonly agent: Agent
  readonly exchange: Exchange
  /** The number of its first process, below which all others are; null where that can't be known. */
  firstProcess(): Promise<number | null>
  /** How many processes there are while nobody uses it; absent where the first one can't be known. */
  readonly restingProcesses?: number
  /** The directories of its control group; absent where it has none. */
  readonly groups?: readonly string[] | undefined
  /** The first process with its control groups, where they are this machine's; absent where they always are. */
  locate?(): Promise<LocatedProcess | null>
  /** What its processes use now; null when they have ended. */
  usage(): Promise<RunningUsage | null>
  /** How its disk is looked at, where that is not this machine's. */
  readonly disk?: DiskLook | undefined
  /** Ends every process inside, and frees everything but the sandbox's own files. */
  stop(): Promise<void>
}

export interface AgentSandboxDeps {
  readonly name: string
  readonly image: string
  readonly can: Capabilities
  readonly clock: Clock
  /** It is new, and starts with no files. */
  readonly isEmpty: boolean
  readonly room?: DiskRoom | undefined
  /** What it takes of the disk beside its directory. */
  readonly sharedUse: () => Promise<SharedUse>
  /** Directories beside its own that tools may use. */
  readonly shown?: readonly string[]
  /** All that the sandbox has on this machine; it goes when the sandbox goes. */
  readonly directory: string
  /** Its home is elsewhere, where only what is started can look at it. */
  readonly isRemote?: boolean
  readonly start: (network: Network["kind"]) => Promise<Inside>
  readonly reach: SandboxNetworkDeps
  /** Its home as a directory of this machine, seen past its first process; absent where that can't be watched. */
  readonly watchedHome?: AgentWatchOptions["home"] | undefined
  /** Takes back what was made for a sandbox that could not be started. */
  readonly discard: () => Promise<void>
  /** Holds the files as they are while it sleeps, and names what holds them. */
  readonly holdFiles: (temporary: HeldRecord["temporary"]) => Promise<string>
  /** Records the files of its home while it is awake. */
  readonly recordFiles: (options: RecordFilesOptions) => Promise<SandboxCheckpoint>
  /** Frees what it does not show any more, while it sleeps. */
  readonly freeLayers: () => Promise<void>
  /** Removes its files, once it is at its end. */
  readonly remove: () => Promise<void>
  /** Has its files outlive this process; absent where that is settled when it is created. */
  readonly keep?: (() => void) | undefined
}

const never = new AbortController().signal
const homeInside = "/home/user"

type Handlers = {
  readonly [Kind in Operation["kind"]]: (
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
    scope: AgentScope,
  ) => Promise<OperationResults[Kind]>
}

const handlers: Handlers = {
  "command.run": runCommand,
  "file.read": readFile,
  "file.write": writeFile,
  "file.stat": statFile,
  "file.list": listDirectory,
  "file.mkdir": makeDirectory,
  "file.remove": removeFile,
  "file.rename": renameFile,
  "file.copy": copyFile,
  "tree.export": exportTree,
  "tree.import": importTree,
  "port.connect": connectPort,
}

/** One time between two sleeps. */
interface Waking {
  readonly inside: Promise<Inside>
  /** Ends what runs, with what it is to answer. */
  readonly closing: AbortController
  /** Ends what callers have asked for, and nothing else; another one follows. */
  work: AbortController
}

/** Resting is going to sleep, asleep, or held for a snapshot: whatever wakes it waits until that is over. */
type Life =
  | { readonly kind: "awake"; readonly waking: Waking }
  | { readonly kind: "resting"; readonly rested: Promise<void> }
  | { readonly kind: "destroyed"; readonly gone: Promise<void> }

/** A sandbox whose work is done by an agent inside, which is started again when it is gone. */
export async function createAgentSandbox(deps: AgentSandboxDeps): Promise<Sandbox> {
  const { name, image, can, clock, directory, start, watchedHome } = deps
  const leftOpen = new Set<CommandOutput>()
  const running = new Set<Promise<unknown>>()
  const saved = join(directory, temporaryName)
  const network = createSandboxNetwork(deps.reach)
  const fileBytes = can.limits.diskBytes ?? sandboxLimits.diskBytes
  const disk = watchDisk({
    home: deps.isRemote ? remoteDisk(() => present) : directory,
    isEmpty: deps.isEmpty,
    limits: { ...sandboxLimits, ...diskLimits, bytes: fileBytes },
    clock,
    parts: deps.sharedUse,
    held: measureHeldInside,
    isQuiet,
    mark: join(directory, "full"),
    room: deps.room,
    onFull: endForRoom,
  })
  const scopeOf = ({ agent, exchange }: Inside, closing: AbortSignal): AgentScope => {
    return { agent, exchange, clock, closing, leftOpen, fileBytes }
  }
  const wake = (before: Promise<unknown> = Promise.resolve()): Waking => {
    const closing = new AbortController()
    const inside = before.then(async () => {
      const started = await start(network.current.kind)
      present = started
      const scope = scopeOf(started, closing.signal)
      try {
        await restoreTemporary(saved, scope)
        await network.enter(scope)
        return started
      } catch (error) {
        await started.stop()
        throw error
      }
    })
    inside.catch(() => {})
    return startWork({ inside, closing })
  }
  /** The last one that was started, for callers that may not wait for another. */
  let present: Inside | null = null
  const first = wake()
  let life: Life = { kind: "awake", waking: first }
  /** What has to be over before anything new starts. */
  let ending: Promise<void> | null = null
  await first.inside.catch(async (error) => {
    await deps.discard()
    throw error
  })

  const isAt = (waking: Waking) => life.kind === "awake" && life.waking === waking

  /** A command that ends the agent ends all its neighbours; the next one finds a new agent. */
  async function awake(): Promise<Waking> {
    if (life.kind === "destroyed") throw sandboxClosed()
    if (life.kind === "resting") life = { kind: "awake", waking: wake(life.rested) }
    const { waking } = life
    const current = await waking.inside.catch(() => null)
    if (current && !current.agent.isGone()) return waking
    // Only the first to see that it is gone starts another; a start that failed is tried again.
    if (isAt(waking)) life = { kind: "awake", waking: wake(current?.stop()) }
    return life.kind === "awake" ? life.waking : awake()
  }

  async function perform<Kind extends Operation["kind"]>(
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
  ): Promise<OperationResults[Kind]> {
    control.signal.throwIfAborted()
    if (life.kind === "destroyed") throw sandboxClosed()
    if (programOf(operation) === injectedNode) await deps.reach.injectNode()
    // What a command writes is seen by the watch while it runs.
    const isFull =
      (disk.isFull || operation.kind !== "command.run") && (await requireRoom(operation, disk))
    if (ending) await ending
    const { inside, work: asked } = await awake()
    const base = scopeOf(await inside, asked.signal)
    // What takes no room can still be done, such as removing files; a file that is moved may be copied.
    const scope = isFull ? { ...base, fileBytes: 0 } : base
    disk.begin()
    const work = handlers[operation.kind as Kind](
      withVariables(operation, network.variables),
      control,
      scope,
    )
    running.add(work)
    return work.finally(() => {
      running.delete(work)
      disk.end()
    })
  }

  /** Ends all that runs, also what earlier commands have left, so that nothing writes any more. */
  async function endForRoom(failure: DiskFull): Promise<void> {
    if (life.kind !== "awake") return
    const full = life.waking
    full.work.abort(failure)
    startWork(full)
    ending = Promise.allSettled(running)
      .then(async () => {
        const scope = scopeOf(await full.inside, full.closing.signal)
        const quiet = { signal: never, onOutput: () => {} }
        await runCommand(agentRunScript(endOthers, { path: "/" }), quiet, scope)
      })
      .catch(() => {})
      .finally(() => {
        ending = null
      })
    await ending
  }

  const firstInside = async () =>
    present && !present.agent.isGone() ? present.firstProcess() : null

  async function isQuiet(): Promise<boolean> {
    const first = await firstInside()
    return first !== null && processesBelow(first).length <= (present?.restingProcesses ?? 0)
  }

  async function measureHeldInside(): Promise<HeldFiles> {
    const first = await firstInside()
    // A sleeping sandbox holds nothing.
    return first === null ? { bytes: 0, isUnsure: false } : measureHeld(first)
  }

  const answered = () => Promise.allSettled(running)

  /** What still runs is asked to end and answers that the sandbox sleeps; then everything is ended. */
  async function goToSleep(last: Waking): Promise<void> {
    last.closing.abort(sandboxAsleep())
    await answered()
    await disk.settle()
    if (ending) await ending
    const inside = await last.inside.catch(() => null)
    if (!inside || inside.agent.isGone()) return inside?.stop()
    try {
      const bytes = await saveTemporary(saved, { scope: scopeOf(inside, never), left: disk.left })
      if (bytes > 0) disk.measure().catch(() => {})
    } catch (error) {
      // Better awake than without its files.
      if (life.kind === "destroyed") await inside.stop()
      else life = { kind: "awake", waking: startWork({ ...last, closing: new AbortController() }) }
      throw error
    }
    await inside.stop()
    // A thousand that sleep would else hold a thousand agents that are gone (bench: curve-memory).
    if (present === inside) present = null
    // What removed files take in layers is freed only so, and a full sandbox needs it.
    const stored = [...disk.use().parts.values()].reduce((sum, bytes) => sum + bytes, 0)
    if (disk.isFull || stored > fileBytes / 2) await deps.freeLayers().catch(() => {})
  }

  let watching: Promise<SandboxWatch> | null = null
  /** Loaded on first use: few sandboxes are looked at. */
  async function openWatch(home: AgentWatchOptions["home"]): Promise<SandboxWatch> {
    const { watchAgentSandbox } = await import("../effects/watch-agent-sandbox.ts")
    const inside = async () => (await awake()).inside
    return watchAgentSandbox({ home, shownAs: homeInside, processesBelow, inside })
  }
  function stopWatching(): void {
    watching?.then((watch) => watch.close()).catch(() => {})
    watching = null
  }

  const usedDisk = createUsedDisk(disk)
  async function usage(): Promise<SandboxUsage> {
    const diskBytes = await usedDisk()
    const inside = life.kind === "awake" ? await life.waking.inside.catch(() => null) : null
    return { ...nothingRuns, ...(await inside?.usage()), diskBytes }
  }

  function sleep(): Promise<void> {
    stopWatching()
    if (life.kind === "awake") life = { kind: "resting", rested: goToSleep(life.waking) }
    return life.kind === "resting" ? life.rested : life.gone
  }

  /** One change after another, and none beside a sleep: each may be a sleep itself. */
  let changing: Promise<void> | null = null
  async function setNetwork(next: Network): Promise<void> {
    await requireNetwork(can, next)
    const rested = life.kind === "resting" ? life.rested.catch(() => {}) : Promise.resolve()
    const before = changing ?? rested
    const change = before.then(() => changeNetwork(next))
    const settled = change
      .catch(() => {})
      .then(() => {
        if (changing === settled) changing = null
      })
    changing = settled
    return change
  }

  async function changeNetwork(next: Network): Promise<void> {
    if (life.kind === "destroyed") throw sandboxClosed()
    const before = network.current
    if ((await network.change(next)) === "changed") return
    try {
      await sleep()
    } catch (error) {
      await network.change(before)
      throw error
    }
  }

  /** What is asked for meanwhile waits, so that nothing writes what is being held. */
  async function snapshot(): Promise<string> {
    requireSnapshots(can)
    while (changing) await changing.catch(() => {})
    return holdAsleep("shared", snapshotRefused)
  }

  async function holdAsleep(
    temporary: HeldRecord["temporary"],
    refused: typeof snapshotRefused,
  ): Promise<string> {
    if (life.kind === "destroyed") throw sandboxClosed()
    const asleep = sleep()
    const held = asleep.then(async () => {
      const problem = disk.isFull ? await disk.problem() : null
      if (problem) throw refused(problem)
      return deps.holdFiles(temporary)
    })
    // Only what could not go to sleep is still awake.
    const rested = Promise.all([asleep, held.catch(() => {})]).then(() => {})
    rested.catch(() => {})
    life = { kind: "resting", rested }
    return held
  }

  /** One after the other: each builds on the one before. */
  let recorded: Promise<unknown> = Promise.resolve()
  function checkpoint(): Promise<SandboxCheckpoint> {
    const next = recorded.then(recordNow)
    recorded = next.catch(() => {})
    return next
  }

  async function recordNow(): Promise<SandboxCheckpoint> {
    requireCheckpoints(can)
    while (changing) await changing.catch(() => {})
    if (life.kind === "resting") {
      const id = await holdAsleep("none", checkpointRefused)
      return { id, incomplete: [], isQuiet: true }
    }
    const { inside, work } = await awake()
    const { firstProcess } = await inside
    const recording = disk.left().then((left) =>
      // What sleeps or is closed meanwhile ends it.
      deps.recordFiles({ first: firstProcess, left, signal: work.signal }),
    )
    // Another operation that has not ended may still write.
    const isAlone = running.size === 0
    running.add(recording)
    try {
      const made = await recording
      disk.measure().catch(() => {})
      return { ...made, isQuiet: made.isQuiet && isAlone }
    } finally {
      running.delete(recording)
    }
  }

  async function endEverything(last: Exclude<Life, { kind: "destroyed" }>): Promise<void> {
    stopWatching()
    disk.stop()
    if (last.kind === "resting") await last.rested.catch(() => {})
    else {
      last.waking.closing.abort(sandboxClosed())
      const inside = await last.waking.inside.catch(() => null)
      await inside?.stop()
    }
    await answered()
    for (const output of leftOpen) output.close()
    await deps.remove()
  }

  return {
    name,
    image,
    can,
    home: homeInside,
    roots: [homeInside, "/tmp", ...(deps.shown ?? [])],
    ...(deps.isRemote ? {} : { pipes: directory }),
    perform,
    sleep: () => (changing ? changing.then(sleep) : sleep()),
    setNetwork,
    snapshot,
    checkpoint,
    ...(watchedHome && {
      watch: () => {
        watching ??= openWatch(watchedHome)
        return watching
      },
    }),
    usage,
    ...(deps.keep && { keep: deps.keep }),
    disk: { known: disk.use, measure: disk.measure },
    destroy: () => {
      if (life.kind === "destroyed") return life.gone
      const last = life
      const gone = endEverything(last).catch((error) => {
        // What could not be removed can be tried again.
        life = last
        throw error
      })
      life = { kind: "destroyed", gone }
      return gone
    },
  }
}

/** Looked at by what is inside; a sandbox that sleeps can't be looked at. */
function remoteDisk(present: () => Inside | null): DiskLook {
  const disk = () => {
    const look = present()?.disk
    if (!look) throw new Error("The sandbox's disk can't be looked at.")
    return look
  }
  return { free: async () => disk().free(), home: async (most) => disk().home(most) }
}

/** What callers ask for ends with everything else, and can be ended alone. */
function startWork(waking: Pick<Waking, "inside" | "closing">): Waking {
  const { closing } = waking
  const started = Object.assign(waking, { work: new AbortController() })
  const { work } = started
  closing.signal.addEventListener("abort", () => work.abort(closing.signal.reason))
  return started
}

/** The program that is called without a shell. */
function programOf(operation: Operation): string | undefined {
  if (operation.kind !== "command.run" || typeof operation.command === "string") return undefined
  return operation.command[0]
}

/** As if the caller had given them, unless it has given others. */
function withVariables<Kind extends Operation>(
  operation: Kind,
  variables: Readonly<Record<string, string>>,
): Kind {
  if (operation.kind !== "command.run") return operation
  return { ...operation, env: { ...variables, ...operation.env } }
}
