import {
  type Network,
  ownFileProblem,
  type ProcessStatus,
  ToolFailure,
} from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import type { DiskRoom, Host, Mount, Sandbox, SandboxLimitsWish, SandboxUse } from "../host/host.ts"
import { createDispatcher, type Dispatcher } from "../payloads/dispatcher.ts"
import { IdleTimer } from "./idle-timer.ts"
import type { SandboxChange } from "./pool-events.ts"
import { watchUse } from "./watch-use.ts"

/** What a sandbox of a pool is, in words that outlive it. */
export interface SandboxRecord {
  readonly name: string
  /** Absent for the host's usual one. */
  readonly image?: string | undefined
  readonly network?: Network | undefined
  readonly limits?: SandboxLimitsWish | undefined
  readonly mounts?: readonly Mount[] | undefined
  readonly sleepAfterMs: number
  readonly createdMs: number
  readonly keptAs?: string | undefined
  readonly processes: readonly ProcessStatus[]
}

export interface SandboxStatus {
  readonly name: string
  readonly image: string
  readonly status: "running" | "sleeping"
  readonly network: Network
  readonly sleepAfterMs: number
  readonly createdMs: number
}

export interface NamedSandboxParts {
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

interface Made {
  readonly sandbox: Sandbox
  readonly dispatcher: Dispatcher
}

/** One sandbox of a pool: made on first use, asleep when nobody uses it, awake when somebody does. */
export class NamedSandbox {
  readonly #parts: NamedSandboxParts
  readonly #idle: IdleTimer
  #record: SandboxRecord
  #made: Promise<Made> | null = null
  #sandbox: Sandbox | null = null
  /** What it takes of the disk, before it is taken up. */
  #stored: SandboxUse | null = null
  #image: string
  #isAsleep: boolean

  constructor(parts: NamedSandboxParts) {
    this.#parts = parts
    this.#record = parts.record
    this.#image = parts.record.image ?? ""
    this.#isAsleep = parts.isFound
    this.#idle = new IdleTimer(parts.clock, parts.record.sleepAfterMs, () => this.#sleepIdle())
  }

  get record(): SandboxRecord {
    return this.#record
  }

  get status(): SandboxStatus {
    const { name, sleepAfterMs, createdMs } = this.#record
    const status = this.#isAsleep ? "sleeping" : "running"
    return { name, image: this.#image, status, network: this.network, sleepAfterMs, createdMs }
  }

  get network(): Network {
    const [usual = "none"] = this.#parts.host.can.networks
    return this.#record.network ?? (usual === "full" ? { kind: "full" } : { kind: "none" })
  }

  /** As far as is known. */
  get diskUse(): SandboxUse {
    return this.#sandbox?.disk?.known() ?? this.#stored ?? { own: 0, parts: new Map() }
  }

  /** Measures it; what was not made by this process, and can't have changed, only once. */
  async measureDisk(): Promise<void> {
    const { keptAs } = this.#record
    if (this.#sandbox) await this.#sandbox.disk?.measure()
    else if (this.#stored === null && this.#parts.isFound && keptAs !== undefined) {
      this.#stored = (await this.#parts.host.storedUse?.({ kind: "sandbox", keptAs })) ?? null
    }
  }

  async dispatcher(): Promise<Dispatcher> {
    this.#made ??= this.#make()
    return (await this.#made).dispatcher
  }

  async sleep(): Promise<void> {
    const made = await this.#made
    if (!made || this.#isAsleep) return
    this.#idle.stop()
    this.#isAsleep = true
    try {
      await made.sandbox.sleep()
    } catch (error) {
      this.#isAsleep = false
      this.#idle.touch()
      throw error
    }
    this.#parts.emit({ kind: "sandbox-slept" })
  }

  async setNetwork(network: Network): Promise<void> {
    const { sandbox } = await this.#take()
    await sandbox.setNetwork(network)
    this.#remember({ network })
    this.#parts.emit({ kind: "network-changed", network })
  }

  async snapshot(): Promise<string> {
    const { sandbox } = await this.#take()
    const id = await sandbox.snapshot()
    this.#isAsleep = true
    return id
  }

  /** Destroys what was made, and makes nothing for it. */
  async end(): Promise<void> {
    this.#idle.stop()
    const made = await this.#made?.catch(() => null)
    await made?.sandbox.destroy()
  }

  /** Also one that was made by a Toolkeep before this one: it has to be taken up to be removed. */
  async destroy(): Promise<void> {
    const { sandbox } = await this.#take()
    this.#idle.stop()
    await sandbox.destroy()
    this.#parts.emit({ kind: "sandbox-destroyed" })
  }

  #take(): Promise<Made> {
    this.#made ??= this.#make()
    return this.#made
  }

  async #make(): Promise<Made> {
    const { host, clock, from, emit, isFound } = this.#parts
    const { name, image, network, limits, mounts, keptAs } = this.#record
    const sandbox = await host
      .create({
        name,
        image,
        network,
        limits,
        mounts,
        keptAs,
        from: isFound ? undefined : from,
        room: this.#parts.room,
        onNetwork: (decision) => emit({ kind: "network-decided", decision }),
      })
      .catch((error: unknown) => {
        // One that could not be made is tried again on the next use.
        this.#made = null
        throw error instanceof ToolFailure ? error : notMade(name, error)
      })
    this.#image = sandbox.image
    this.#sandbox = sandbox
    const dispatcher = createDispatcher(sandbox, {
      clock,
      earlier: this.#record.processes,
      onChange: (processes) => this.#processesChanged(processes),
    })
    if (isFound) this.#tellFound()
    else emit({ kind: "sandbox-created", image: sandbox.image })
    this.#idle.touch()
    return { sandbox, dispatcher: this.#watched(dispatcher) }
  }

  #watched(dispatcher: Dispatcher): Dispatcher {
    return watchUse(dispatcher, {
      begin: () => {
        this.#wake()
        this.#idle.begin()
      },
      end: () => this.#idle.end(),
      touch: () => this.#idle.touch(),
    })
  }

  #tellFound(): void {
    const gone = this.#record.processes.filter(({ state }) => state.kind === "running")
    this.#parts.emit({ kind: "sandbox-found", gone })
  }

  #wake(): void {
    if (!this.#isAsleep) return
    this.#isAsleep = false
    this.#parts.emit({ kind: "sandbox-woke" })
  }

  #sleepIdle(): void {
    this.sleep().catch((error: unknown) => {
      this.#parts.emit({ kind: "sandbox-failed", doing: "sleep", error })
    })
  }

  #processesChanged(processes: readonly ProcessStatus[]): void {
    const before = new Map(this.#record.processes.map((process) => [process.id, process]))
    this.#remember({ processes })
    for (const process of processes) {
      const known = before.get(process.id)
      if (!known) this.#parts.emit({ kind: "process-started", process })
      else if (known.state.kind === "running" && process.state.kind !== "running") {
        this.#parts.emit({ kind: "process-ended", process })
      }
    }
  }

  #remember(changes: Partial<SandboxRecord>): void {
    this.#record = { ...this.#record, ...changes }
    this.#parts.onChange()
  }
}

function notMade(name: string, cause: unknown): ToolFailure {
  const said = cause instanceof Error ? cause.message : String(cause)
  const reason = ownFileProblem(cause) ?? said.slice(0, 200)
  const message = `The sandbox "${name}" could not be made: ${reason}`
  return new ToolFailure({ kind: "unavailable", message }, { cause })
}
