import {
  limits,
  type ProcessOutput,
  type ProcessState,
  type ProcessStatus,
  ToolFailure,
} from "../../contract/index.ts"
import { type Clock, createId, onAbort, withAbort } from "../../kit/index.ts"
import type { Sandbox } from "../host/host.ts"
import { sandboxLimits } from "../limits.ts"
import type { LiveInput } from "./live-input.ts"
import { type ProcessStart, startInBackground } from "./start-in-background.ts"

export interface ProcessesOptions {
  readonly clock: Clock
  /** Those of an earlier Toolkeep. */
  readonly earlier?: readonly ProcessStatus[] | undefined
  /** Called after every change. */
  readonly onChange?: ((processes: readonly ProcessStatus[]) => void) | undefined
}

type BackgroundSandbox = Pick<Sandbox, "home" | "perform">

interface Process {
  readonly started: Omit<ProcessStatus, "state">
  state: ProcessState
  readonly ended: Promise<void>
  readonly end: (graceMs: number) => void
  /** For one whose input stays open. */
  readonly input?: LiveInput | undefined
}

/** The commands of one sandbox that go on in the background: each is a command nobody waits for. */
export class BackgroundProcesses {
  readonly #sandbox: BackgroundSandbox
  readonly #options: ProcessesOptions
  readonly #processes = new Map<string, Process>()

  constructor(sandbox: BackgroundSandbox, options: ProcessesOptions) {
    this.#sandbox = sandbox
    this.#options = options
    for (const { state, ...started } of options.earlier ?? []) {
      const why = "The Toolkeep that started it has ended."
      this.#processes.set(started.id, {
        started,
        state: state.kind === "running" ? { kind: "gone", why } : state,
        ended: Promise.resolve(),
        end: () => {},
      })
    }
  }

  /** With a live input, that is read and `start.stdin` is not. */
  async start(
    start: ProcessStart,
    { signal, input }: { readonly signal: AbortSignal; readonly input?: LiveInput | undefined },
  ): Promise<ProcessStatus> {
    const id = createId("process")
    const logFile = `${this.#sandbox.home}/.toolkeep/${id}.log`
    const killing = new AbortController()
    let graceMs: number = limits.terminateGraceMs
    const { pid, outcome } = await startInBackground(
      { ...start, input: input?.readable },
      {
        sandbox: this.#sandbox,
        logFile,
        signal: killing.signal,
        startSignal: signal,
        graceMs: () => graceMs,
      },
    )
    const { command, cwd } = start
    const process: Process = {
      started: { id, pid, command, cwd, logFile, startedMs: Date.now() },
      state: { kind: "running" },
      ended: outcome.then(
        ({ exitCode, ending }) => {
          const aborted = () => endedBy(killing.signal.reason, killing.signal)
          const exited = { kind: "exited", exitCode } as const
          this.#finish(process, ending.kind === "aborted" ? aborted() : exited)
        },
        (error: unknown) => this.#finish(process, endedBy(error, killing.signal)),
      ),
      end: (grace) => {
        graceMs = grace
        killing.abort()
      },
      input,
    }
    this.#processes.set(id, process)
    this.#changed()
    return statusOf(process)
  }

  list(): readonly ProcessStatus[] {
    return [...this.#processes.values()].map(statusOf)
  }

  status(id: string): ProcessStatus {
    return statusOf(this.#find(id))
  }

  async wait(id: string, timeoutMs: number | null, signal: AbortSignal): Promise<ProcessStatus> {
    const process = this.#find(id)
    const late = Promise.withResolvers<void>()
    const stop = () => late.resolve()
    const cancel = timeoutMs === null ? stop : this.#options.clock.after(timeoutMs, stop)
    const stopListening = onAbort(signal, stop)
    await Promise.race([process.ended, late.promise])
    stopListening()
    cancel()
    signal.throwIfAborted()
    return statusOf(process)
  }

  async output(
    id: string,
    {
      offset,
      length = sandboxLimits.processOutputBytes,
      signal,
    }: {
      readonly offset: number
      readonly length?: number | undefined
      readonly signal: AbortSignal
    },
  ): Promise<ProcessOutput> {
    const process = this.#find(id)
    // Looked at before the file is: what an ended process wrote is all there is.
    const { state } = process
    const bytes = await this.#sandbox.perform<"file.read">(
      {
        kind: "file.read",
        path: process.started.logFile,
        offset,
        length,
      },
      { signal, onOutput: () => {} },
    )
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
    return { text, bytes, nextOffset: offset + bytes.length, state }
  }

  async write(
    id: string,
    bytes: Uint8Array,
    { end, signal }: { readonly end: boolean; readonly signal: AbortSignal },
  ): Promise<ProcessStatus> {
    const process = this.#find(id)
    if (process.state.kind !== "running") throw notWritten(process, "it has ended")
    if (!process.input) throw notWritten(process, "it was started without an open input")
    await withAbort(process.input.write(bytes), signal)
    if (end) await withAbort(process.input.end(), signal)
    return statusOf(process)
  }

  async kill(id: string, graceMs: number): Promise<ProcessStatus> {
    const process = this.#find(id)
    if (process.state.kind === "running") process.end(graceMs)
    await process.ended
    return statusOf(process)
  }

  #find(id: string): Process {
    const process = this.#processes.get(id)
    if (process) return process
    const names = [...this.#processes.keys()].slice(-10)
    throw new ToolFailure({
      kind: "not_found",
      message: `There is no process ${JSON.stringify(id.slice(0, 60))} in this sandbox.`,
      expected: names.length > 0 ? `one of ${names.join(", ")}` : "an id that start gave",
    })
  }

  #finish(process: Process, state: ProcessState): void {
    process.state = state
    const over = [...this.#processes].filter(([, { state }]) => state.kind !== "running")
    const tooMany = over.slice(0, Math.max(0, over.length - sandboxLimits.endedProcesses))
    for (const [id] of tooMany) this.#processes.delete(id)
    this.#changed()
  }

  #changed(): void {
    this.#options.onChange?.(this.list())
  }
}

function notWritten({ started: { pid } }: Process, why: string): ToolFailure {
  const message = `Process ${pid} can't be written to: ${why}.`
  return new ToolFailure({ kind: "rejected", message })
}

function statusOf({ started, state }: Process): ProcessStatus {
  return { ...started, state }
}

function endedBy(error: unknown, killing: AbortSignal): ProcessState {
  if (killing.aborted && error === killing.reason) return { kind: "killed", by: "user" }
  return { kind: "gone", why: error instanceof Error ? error.message : String(error) }
}
