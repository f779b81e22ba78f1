import type { Clock } from "../../../kit/index.ts"
import type { NetworkDecision, Pool, PoolEvent } from "../../../sandbox/index.ts"
import { type NewEntry, recordLimits, type SessionRecord } from "../../../store/index.ts"

/** What the entries about sandboxes say. */
export interface SandboxEntries {
  readonly sandbox: SandboxEntry
  readonly "network-decided": NetworkEntry
}

/** What happened to a sandbox; `to` is another one that it was about. */
export interface SandboxEntry {
  readonly sandbox: string
  readonly change: "created" | "found" | "slept" | "woke" | "forked" | "transferred" | "destroyed"
  readonly image?: string
  readonly to?: string
  readonly path?: string
  readonly bytes?: number
}

/** What commands of a sandbox tried to reach in a short time: each target once for each rule. */
export interface NetworkEntry {
  readonly sandbox: string
  readonly decisions: readonly (NetworkDecision & { readonly times: number })[]
  /** Decisions on further targets, which are not named. */
  readonly more: number
}

export interface SandboxRecorder {
  /** Records what is left, and nothing after it. */
  stop(): Promise<void>
}

/** Records what happens to the sandboxes of a session, and what commands in them try to reach. */
export function recordSandboxes(
  pool: Pick<Pool, "listen">,
  open: () => Promise<SessionRecord>,
  clock: Clock,
): SandboxRecorder {
  const logs = new Map<string, NetworkLog>()
  let written: Promise<unknown> = Promise.resolve()
  const append = (entry: NewEntry) => {
    // The next call tells its caller of a disk that takes nothing more.
    written = written.then(async () => (await open()).append([entry])).catch(() => {})
  }
  const logOf = (sandbox: string) => {
    const log = logs.get(sandbox) ?? new NetworkLog(clock, (body) => appendNetwork(sandbox, body))
    logs.set(sandbox, log)
    return log
  }
  const appendNetwork = (sandbox: string, body: Omit<NetworkEntry, "sandbox">) =>
    append({ kind: "network-decided", at: clock.now(), body: { sandbox, ...body } })
  const stopListening = pool.listen((event) => {
    if (event.kind === "network-decided") return logOf(event.sandbox).add(event.decision)
    const body = entryOf(event)
    if (body) append({ kind: "sandbox", at: event.at, body })
  })
  return {
    async stop() {
      stopListening()
      for (const log of logs.values()) log.flush()
      await written
    },
  }
}

function entryOf(event: PoolEvent): SandboxEntry | null {
  const { sandbox } = event
  switch (event.kind) {
    case "sandbox-created":
      return { sandbox, change: "created", image: event.image }
    case "sandbox-found":
      return { sandbox, change: "found" }
    case "sandbox-slept":
      return { sandbox, change: "slept" }
    case "sandbox-woke":
      return { sandbox, change: "woke" }
    case "sandbox-forked":
      return { sandbox, change: "forked", to: event.to }
    case "files-transferred": {
      const { to, path, bytes } = event
      return { sandbox, change: "transferred", to, path, bytes }
    }
    case "sandbox-destroyed":
      return { sandbox, change: "destroyed" }
    default:
      return null
  }
}

/** Collects decisions for a while: the longer they go on, the longer, so that nobody fills the record with them. */
class NetworkLog {
  readonly #clock: Clock
  readonly #write: (body: Omit<NetworkEntry, "sandbox">) => void
  readonly #decisions = new Map<string, NetworkDecision & { readonly times: number }>()
  #more = 0
  #pauseMs: number = recordLimits.networkMs
  #cancel: (() => void) | null = null

  constructor(clock: Clock, write: (body: Omit<NetworkEntry, "sandbox">) => void) {
    this.#clock = clock
    this.#write = write
  }

  add(decision: NetworkDecision): void {
    const { target, port, allowed, rule } = decision
    const key = JSON.stringify([target, port, allowed, rule])
    const known = this.#decisions.get(key)
    if (known || this.#decisions.size < recordLimits.networkTargets) {
      const times = (known?.times ?? 0) + 1
      this.#decisions.set(key, { target, port, allowed, rule, times })
    } else this.#more += 1
    this.#cancel ??= this.#clock.after(this.#pauseMs, () => this.#flushInTime())
  }

  flush(): void {
    this.#cancel?.()
    this.#cancel = null
    if (this.#decisions.size === 0) return
    this.#write({ decisions: [...this.#decisions.values()], more: this.#more })
    this.#decisions.clear()
    this.#more = 0
  }

  #flushInTime(): void {
    const wasQuiet = this.#decisions.size === 0
    this.flush()
    this.#pauseMs = wasQuiet
      ? recordLimits.networkMs
      : Math.min(2 * this.#pauseMs, recordLimits.networkMostMs)
    // Only a pause without any makes the next one short again.
    if (!wasQuiet) this.#cancel = this.#clock.after(this.#pauseMs, () => this.#flushInTime())
  }
}
