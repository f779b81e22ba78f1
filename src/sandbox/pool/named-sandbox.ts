import {
  type Network,
  ownFileProblem,
  type ProcessStatus,
  type SandboxLimits,
  ToolFailure,
  type Workspace,
} from "../../contract/index.ts"
import { type Clock, withTimeout } from "../../kit/index.ts"
import type { CallObservation, CallObserver } from "../effects/call-observer.ts"
import { chooseLimits } from "../host/choose-limits.ts"
import type {
  DiskRoom,
  Host,
  Mount,
  Sandbox,
  SandboxLimitsRequest,
  SandboxUsage,
  SandboxUse,
} from "../host/host.ts"
import type { Operation } from "../host/operation.ts"
import { unsupported } from "../host/unsupported.ts"
import { sandboxLimits } from "../limits.ts"
import type { NetworkDecision } from "../network/decide-target.ts"
import { createWorkspace, type OpenSandbox } from "../workspace/create-workspace.ts"
import { IdleTimer, watchStreams } from "./idle-timer.ts"
import type { SandboxChange } from "./pool-events.ts"

/** What a sandbox of a pool is, in words that outlive it. */
export interface SandboxRecord {
  readonly name: string
  /** Absent for the host's default one. */
  readonly image?: string | undefined
  readonly network?: Network | undefined
  readonly limits?: SandboxLimitsRequest | undefined
  readonly mounts?: readonly Mount[] | undefined
  readonly sleepAfterMs: number
  readonly createdMs: number
  readonly keptAs?: string | undefined
  readonly processes: readonly ProcessStatus[]
  /** What holds its files as they are. Absent once something may have changed them. */
  readonly checkpoint?: string | undefined
  /** The directory of the pool that it comes from, until that one has let go of it. */
  readonly movedFrom?: string | undefined
}

export interface SandboxStatus {
  readonly name: string
  readonly image: string
  readonly status: "running" | "sleeping"
  readonly network: Network
  readonly sleepAfterMs: number
  readonly createdMs: number
}

export interface NamedSandboxDeps {
  readonly host: Host
  readonly clock: Clock
  readonly record: SandboxRecord
  /** A snapshot to start with, the first time it is made. */
  readonly from?: string | undefined
  /** It was made by a Toolkeep before this one. */
  readonly isFound: boolean
  /** What the session leaves for it of the disk. */
  readonly room?: DiskRoom | undefined
  readonly emit: (change: SandboxChange) => void
  /** Called when what should be remembered has changed. */
  readonly onChange: () => void
}

/** What a sandbox has of the pool that it is in. */
export type PoolBinding = Pick<NamedSandboxDeps, "room" | "emit" | "onChange">

/**
 * Where a sandbox is in its life. "new" is one that nobody has used in this process: it is made, or found again, on
 * first use. A state that is on its way holds the promise of its end.
 */
type Life =
  | { readonly kind: "new" }
  | { readonly kind: "starting"; readonly started: Promise<Open> }
  | { readonly kind: "awake"; readonly open: Open }
  | { readonly kind: "going-to-sleep"; readonly open: Open; readonly slept: Promise<void> }
  | { readonly kind: "asleep"; readonly open: Open }
  | { readonly kind: "destroying" | "destroyed"; readonly open: Open }

interface Open {
  readonly sandbox: Sandbox
  readonly workspace: Workspace
  /** The sandbox for transfers, whose operations count as use. */
  readonly used: OpenSandbox
}

export type RecordedFiles =
  | { readonly kind: "unchanged"; readonly id: string }
  | { readonly kind: "recorded"; readonly id: string; readonly incomplete: readonly string[] }

const recording = "record the files of a sandbox and restore them"

/** What changes no file. */
const reading: ReadonlySet<Operation["kind"]> = new Set([
  "file.read",
  "file.stat",
  "file.list",
  "tree.export",
  "port.connect",
])

/** One sandbox of a pool: made on first use, asleep when nobody uses it, awake when somebody does. */
export class NamedSandbox {
  #deps: NamedSandboxDeps
  readonly #idle: IdleTimer
  #record: SandboxRecord
  #life: Life = { kind: "new" }
  /** What it takes of the disk, before it is taken up. */
  #stored: SandboxUse | null = null
  /** How often something was asked of it that may change a file. */
  #operations = 0
  readonly #fileOperations = new Set<Promise<unknown>>()
  #observer: CallObserver | null = null

  constructor(deps: NamedSandboxDeps) {
    this.#deps = deps
    this.#record = deps.record
    this.#idle = new IdleTimer(deps.clock, deps.record.sleepAfterMs, () => this.#sleepIdle())
  }

  get record(): SandboxRecord {
    return this.#record
  }

  get status(): SandboxStatus {
    const { name, image = "", sleepAfterMs, createdMs } = this.#record
    const status = this.#isAsleep() ? "sleeping" : "running"
    const made = this.#open()?.sandbox.image ?? image
    return { name, image: made, status, network: this.network, sleepAfterMs, createdMs }
  }

  get network(): Network {
    const [defaultNetwork = "none"] = this.#deps.host.can.networks
    return this.#record.network ?? (defaultNetwork === "full" ? { kind: "full" } : { kind: "none" })
  }

  /** Whether it was ever made. */
  get hasFiles(): boolean {
    return this.#life.kind !== "new" || this.#deps.isFound
  }

  /** As far as is known. */
  get diskUse(): SandboxUse {
    return this.#open()?.sandbox.disk?.known() ?? this.#stored ?? { own: 0, parts: new Map() }
  }

  /** Measures it; what was not made by this process, and can't have changed, only once. */
  async measureDisk(): Promise<void> {
    const { keptAs } = this.#record
    const open = this.#open()
    if (open) await open.sandbox.disk?.measure()
    else if (this.#stored === null && this.#deps.isFound && keptAs !== undefined) {
      this.#stored = (await this.#deps.host.storedUse?.({ kind: "sandbox", keptAs })) ?? null
    }
  }

  async workspace(): Promise<Workspace> {
    return (await this.#take()).workspace
  }

  /** For transfers. */
  async open(): Promise<OpenSandbox> {
    return (await this.#take()).used
  }

  async sleep(): Promise<void> {
    if (this.#life.kind === "starting") await this.#life.started
    // They are short, and of no use to anybody when cut off. Commands are ended.
    if (this.#fileOperations.size > 0) {
      await withTimeout(this.#filesSettled(), sandboxLimits.settleMs, { otherwise: () => {} })
    }
    if (this.#life.kind === "going-to-sleep") return this.#life.slept
    if (this.#life.kind !== "awake") return
    const { open } = this.#life
    this.#idle.stop()
    const slept = open.sandbox.sleep()
    const life: Life = { kind: "going-to-sleep", open, slept }
    this.#life = life
    try {
      await slept
    } catch (error) {
      if (this.#life === life) this.#life = { kind: "awake", open }
      this.#idle.touch()
      throw error
    }
    if (this.#life === life) this.#life = { kind: "asleep", open }
    this.#deps.emit({ kind: "sandbox-slept" })
  }

  async setNetwork(network: Network): Promise<void> {
    const { sandbox } = await this.#take()
    await sandbox.setNetwork(network)
    this.#remember({ network })
    this.#deps.emit({ kind: "network-changed", network })
  }

  async snapshot(): Promise<string> {
    const open = await this.#take()
    const id = await open.sandbox.snapshot()
    if (this.#life.kind === "awake") this.#life = { kind: "asleep", open }
    return id
  }

  /** Records its files, unless that was done and nothing can have changed them since. */
  async checkpoint(): Promise<RecordedFiles> {
    const { checkpoint } = this.#record
    if (checkpoint !== undefined) return { kind: "unchanged", id: checkpoint }
    const { sandbox } = await this.#take()
    if (!sandbox.checkpoint) throw unsupported(this.#deps.host.name, recording)
    const operations = this.#operations
    this.#idle.begin()
    try {
      const { id, incomplete, isQuiet } = await sandbox.checkpoint()
      if (isQuiet && operations === this.#operations) this.#remember({ checkpoint: id })
      return { kind: "recorded", id, incomplete }
    } finally {
      this.#idle.end()
    }
  }

  /** Looks at what a call does in it. */
  async observe(call: string): Promise<CallObservation> {
    const { sandbox } = await this.#take()
    // Loaded on first use: most sessions do not look.
    const { CallObserver } = await import("../effects/call-observer.ts")
    this.#observer ??= new CallObserver({ sandbox, network: () => this.network })
    return this.#observer.begin(call)
  }

  /** What it uses now, and may. Wakes nothing. */
  async usage(): Promise<SandboxUsage & { readonly limits: SandboxLimits }> {
    const { host } = this.#deps
    const open = this.#open()
    const limits =
      open?.sandbox.can.limits ??
      chooseLimits({ host: host.name }, host.can.limits, this.#record.limits)
    if (open) return { ...((await open.sandbox.usage?.()) ?? unknownUsage(host.name)), limits }
    await this.measureDisk()
    const { own, parts } = this.diskUse
    const diskBytes = [...parts.values()].reduce((sum, bytes) => sum + bytes, own)
    return { limits, cpuMs: 0, memoryBytes: 0, processes: 0, diskBytes }
  }

  /** Whatever held its files is gone. */
  forgetCheckpoint(id: string): void {
    if (this.#record.checkpoint === id) this.#remember({ checkpoint: undefined })
  }

  /** Is in another pool from now on, which has no checkpoint of it. Its processes go on. */
  joinPool(binding: PoolBinding): void {
    this.#deps = { ...this.#deps, ...binding }
    this.#record = { ...this.#record, checkpoint: undefined }
    this.#operations += 1
  }

  /** Destroys what was made, and makes nothing for it. */
  async end(): Promise<void> {
    this.#idle.stop()
    const open =
      this.#life.kind === "starting" ? await this.#life.started.catch(() => null) : this.#open()
    if (open) await this.#destroy(open)
  }

  /** Also one that was made by a Toolkeep before this one: it has to be taken up to be removed. */
  async destroy(): Promise<void> {
    await this.#destroy(await this.#take())
    this.#deps.emit({ kind: "sandbox-destroyed" })
  }

  async #destroy(open: Open): Promise<void> {
    this.#idle.stop()
    this.#life = { kind: "destroying", open }
    await open.sandbox.destroy()
    this.#life = { kind: "destroyed", open }
  }

  /** The sandbox of this state, where it has one. */
  #open(): Open | null {
    return "open" in this.#life ? this.#life.open : null
  }

  #isAsleep(): boolean {
    switch (this.#life.kind) {
      case "new":
      case "starting":
        return this.#deps.isFound
      case "going-to-sleep":
      case "asleep":
        return true
      default:
        return false
    }
  }

  async #take(): Promise<Open> {
    if (this.#life.kind === "starting") return this.#life.started
    const open = this.#open()
    if (open) return open
    const started = this.#make()
    this.#life = { kind: "starting", started }
    return started
  }

  async #make(): Promise<Open> {
    const { host, clock, from, isFound } = this.#deps
    const { name, image, network, limits, mounts, keptAs } = this.#record
    const onNetwork = (decision: NetworkDecision) => {
      this.#observer?.decided(decision)
      this.#deps.emit({ kind: "network-decided", decision })
    }
    const room = this.#deps.room && this.#room()
    const files = isFound ? undefined : from
    const spec = { name, image, network, limits, mounts, keptAs, from: files, room, onNetwork }
    const sandbox = await host.create(spec).catch((error: unknown) => {
      // One that could not be made is tried again on the next use.
      this.#life = { kind: "new" }
      throw error instanceof ToolFailure ? error : notMade(name, error)
    })
    const use = <Result>(work: () => Promise<Result>) => this.#use(work)
    const watched = this.#watched(sandbox)
    const workspace = createWorkspace(watched, {
      clock,
      use,
      earlier: this.#record.processes,
      onChange: (processes) => this.#processesChanged(processes),
    })
    const { can, home, roots, pipes } = sandbox
    const perform: Sandbox["perform"] = (operation, control) =>
      use(() => watched.perform(operation, control))
    const open = { sandbox, workspace, used: { name, can, home, roots, pipes, perform } }
    this.#life = { kind: isFound ? "asleep" : "awake", open }
    if (isFound) this.#tellFound()
    else this.#deps.emit({ kind: "sandbox-created", image: sandbox.image })
    this.#idle.touch()
    return open
  }

  /** What the pool that it is in at the time leaves for it. */
  #room(): DiskRoom {
    return {
      most: () => this.#deps.room?.most() ?? { bytes: Number.POSITIVE_INFINITY, reason: "" },
      refresh: async () => this.#deps.room?.refresh(),
    }
  }

  /** The same, where what may change a file is counted before it begins. */
  #watched(sandbox: Sandbox): OpenSandbox {
    const { name, can, home, roots, pipes } = sandbox
    const perform: Sandbox["perform"] = (operation, control) => {
      if (!reading.has(operation.kind)) this.#changing()
      const performed = sandbox.perform(operation, control)
      return operation.kind.startsWith("file.") ? this.#untilEnded(performed) : performed
    }
    return { name, can, home, roots, pipes, perform }
  }

  async #filesSettled(): Promise<void> {
    while (this.#fileOperations.size > 0) await Promise.allSettled(this.#fileOperations)
  }

  async #untilEnded<Result>(operation: Promise<Result>): Promise<Result> {
    this.#fileOperations.add(operation)
    try {
      return await operation
    } finally {
      this.#fileOperations.delete(operation)
    }
  }

  #changing(): void {
    this.#operations += 1
    if (this.#record.checkpoint !== undefined) this.#remember({ checkpoint: undefined })
  }

  /** Wakes it, and keeps it awake while the work goes on and while something comes through its streams. */
  async #use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#wake()
    this.#idle.begin()
    try {
      return watchStreams(await work(), () => this.#idle.touch())
    } finally {
      this.#idle.end()
    }
  }

  #tellFound(): void {
    const gone = this.#record.processes.filter(({ state }) => state.kind === "running")
    this.#deps.emit({ kind: "sandbox-found", gone })
  }

  /** Its sandbox wakes by itself with the operation that follows. */
  #wake(): void {
    const life = this.#life
    if (life.kind !== "asleep" && life.kind !== "going-to-sleep") return
    this.#life = { kind: "awake", open: life.open }
    this.#deps.emit({ kind: "sandbox-woke" })
  }

  #sleepIdle(): void {
    if (!this.#deps.host.can.sleep) return
    this.sleep().catch((error: unknown) => {
      this.#deps.emit({ kind: "sandbox-failed", doing: "sleep", error })
    })
  }

  #processesChanged(processes: readonly ProcessStatus[]): void {
    const before = new Map(this.#record.processes.map((process) => [process.id, process]))
    this.#remember({ processes })
    for (const process of processes) {
      const known = before.get(process.id)
      if (!known) this.#deps.emit({ kind: "process-started", process })
      else if (known.state.kind === "running" && process.state.kind !== "running") {
        this.#deps.emit({ kind: "process-ended", process })
      }
    }
  }

  #remember(changes: Partial<SandboxRecord>): void {
    this.#record = { ...this.#record, ...changes }
    this.#deps.onChange()
  }
}

function unknownUsage(host: string): SandboxUsage {
  const unknown = { unknown: `the host ${host} does not show it` }
  return { cpuMs: unknown, memoryBytes: unknown, processes: unknown, diskBytes: unknown }
}

function notMade(name: string, cause: unknown): ToolFailure {
  const said = cause instanceof Error ? cause.message : String(cause)
  const reason = ownFileProblem(cause) ?? said.slice(0, 200)
  const message = `The sandbox "${name}" could not be made: ${reason}`
  return new ToolFailure({ kind: "unavailable", message }, { cause })
}
