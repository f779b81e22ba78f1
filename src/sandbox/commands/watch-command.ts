import type { Readable } from "node:stream"
import type { OutputChunk } from "../../contract/index.ts"
import { BoundedBytes, type Clock } from "../../kit/index.ts"
import type { CommandOutcome, CommandRun } from "../host/operation.ts"
import { sandboxLimits } from "../limits.ts"

/** This process's ends of a command's output. */
export interface OutputStreams {
  readonly stdout: Readable
  readonly stderr: Readable
}

type Receiver = (chunk: OutputChunk) => void | Promise<void>

/** A background child that floods a pipe nobody reads any more is slowed to one chunk in this time. */
const discardPauseMs = 10

/** Both output streams of one command: shown as they arrive, captured within bounds. */
export class CommandOutput {
  /** Resolves when the last process that could still write has closed both streams. */
  readonly closed: Promise<void>
  /** Resolves with what the receiver threw; it gets nothing more then. */
  readonly broken: Promise<unknown>
  readonly #streams: readonly Readable[]
  #heldBack = 0
  #captured: CapturedOutput
  #receive: Receiver
  #breakWith: (error: unknown) => void
  #failure: { readonly error: unknown } | null = null
  #arrived = () => {}

  constructor(streams: OutputStreams, maxBytes: number, receive: Receiver) {
    this.#receive = receive
    const { promise, resolve } = Promise.withResolvers<unknown>()
    this.broken = promise
    this.#breakWith = resolve
    this.#captured = new CapturedOutput(maxBytes)
    this.#streams = [streams.stdout, streams.stderr]
    this.closed = Promise.all([
      this.#read("stdout", streams.stdout),
      this.#read("stderr", streams.stderr),
    ]).then(() => {})
  }

  /** Calls the listener, in place of the one before it, whenever bytes arrive. */
  onArrival(listener: () => void): void {
    this.#arrived = listener
  }

  /** Whether the receiver has something to do before it takes more. */
  get isHeldBack(): boolean {
    return this.#heldBack > 0
  }

  /** Throws what the receiver threw. */
  throwIfBroken(): void {
    if (this.#failure) throw this.#failure.error
  }

  captured(): Pick<CommandOutcome, "stdout" | "stderr"> {
    return this.#captured.captured()
  }

  /** Nothing arrives after this, and nobody can write any more. */
  close(): void {
    for (const stream of this.#streams) stream.destroy()
  }

  /**
   * Nothing arrives after this and nothing is captured, but what still writes may go on: a server in the
   * background would die of a closed pipe, and stop at a full one.
   */
  discard(): void {
    this.#captured = new CapturedOutput(0)
    for (const stream of this.#streams) {
      stream.removeAllListeners("data")
      if ("unref" in stream && typeof stream.unref === "function") stream.unref()
      stream.on("data", () => {
        stream.pause()
        setTimeout(() => stream.resume(), discardPauseMs).unref()
      })
    }
  }

  #read(name: OutputChunk["stream"], stream: Readable): Promise<void> {
    stream.on("data", (data: Buffer) => {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.length)
      const chunk = { stream: name, bytes }
      this.#captured.push(chunk)
      this.#arrived()
      const taken = this.#show(chunk)
      // A receiver may well return what its last expression happened to be.
      if (taken instanceof Promise) this.#holdBack(stream, taken)
    })
    return new Promise((resolve) => {
      // A pipe that breaks has ended; the exit code says how the command did.
      stream
        .once("end", resolve)
        .once("error", () => resolve())
        .once("close", resolve)
    })
  }

  #show(chunk: OutputChunk): void | Promise<void> {
    try {
      return this.#receive(chunk)
    } catch (error) {
      this.#fail(error)
    }
  }

  #holdBack(stream: Readable, taken: Promise<void>): void {
    this.#heldBack += 1
    stream.pause()
    taken
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#heldBack -= 1
        stream.resume()
      })
  }

  #fail(error: unknown): void {
    this.#receive = () => {}
    this.#failure = { error }
    this.#breakWith(error)
  }
}

/** Why a command is over, or has to be. */
export type Stop =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "timed-out"; readonly afterMs: number }
  | { readonly kind: "idle"; readonly afterMs: number }
  | { readonly kind: "aborted" }
  /** The sandbox is being destroyed. */
  | { readonly kind: "closed" }
  /** The receiver of the output threw. */
  | { readonly kind: "broken"; readonly error: unknown }

export interface Watched {
  readonly operation: CommandRun
  readonly signal: AbortSignal
  readonly leader: { readonly exited: Promise<number> }
  readonly output: CommandOutput
  readonly scope: { readonly closing: AbortSignal; readonly clock: Clock }
}

/** The first reason wins. */
export function waitForStop({ operation, signal, leader, output, scope }: Watched): Promise<Stop> {
  const undo: (() => void)[] = []
  const { timeoutMs, idleTimeoutMs } = operation
  const stopped = new Promise<Stop>((stop) => {
    leader.exited.then((exitCode) => stop({ kind: "exited", exitCode }))
    output.broken.then((error) => stop({ kind: "broken", error }))
    undo.push(onAbort(signal, () => stop({ kind: "aborted" })))
    undo.push(onAbort(scope.closing, () => stop({ kind: "closed" })))
    if (timeoutMs !== null) {
      const tooLong = () => stop({ kind: "timed-out", afterMs: timeoutMs })
      undo.push(afterEvents(scope.clock, timeoutMs, tooLong))
    }
    if (idleTimeoutMs !== null) {
      const tooQuiet = () => stop({ kind: "idle", afterMs: idleTimeoutMs })
      const restart = () => afterEvents(scope.clock, idleTimeoutMs, tooQuiet)
      let cancel = restart()
      output.onArrival(() => {
        cancel()
        cancel = restart()
      })
      undo.push(() => {
        output.onArrival(() => {})
        cancel()
      })
    }
  })
  return stopped.finally(() => {
    for (const each of undo) each()
  })
}

function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback()
  signal.addEventListener("abort", callback, { once: true })
  return () => signal.removeEventListener("abort", callback)
}

const timeoutExitCode = 124
/** What a shell reports for a process that SIGTERM ended. */
const abortedExitCode = 143

/** What a command answers that stopped for this reason; throws what is not its own answer. */
export function outcomeOf(
  stop: Stop,
  captured: Pick<CommandOutcome, "stdout" | "stderr">,
  closing: AbortSignal,
): CommandOutcome {
  switch (stop.kind) {
    case "exited":
      return { exitCode: stop.exitCode, ...captured, ending: { kind: "exited" } }
    case "timed-out":
    case "idle":
      return { exitCode: timeoutExitCode, ...captured, ending: stop }
    case "aborted":
      return { exitCode: abortedExitCode, ...captured, ending: stop }
    case "broken":
      throw stop.error
    case "closed":
      throw closing.reason
    default:
      return stop satisfies never
  }
}

/**
 * Calls back after a time, once what has happened by then has been delivered. When the event loop was
 * blocked, timers run before anything else and would overlook an exit or a byte that came in time.
 */
export function afterEvents(clock: Clock, milliseconds: number, callback: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined
  const cancel = clock.after(milliseconds, () => {
    immediate = setImmediate(callback)
  })
  return () => {
    cancel()
    clearImmediate(immediate)
  }
}

/**
 * What was written before a command's exit is still read. Resolves with whether every writer has closed
 * its output; one that holds it open longer is not waited for.
 */
export async function waitForDrain(output: CommandOutput, clock: Clock): Promise<boolean> {
  const passed = Promise.withResolvers<false>()
  let cancel = () => {}
  const wait = () => {
    // A slow reader gets all there is: only a writer that stays is not waited for.
    const tooLong = () => (output.isHeldBack ? wait() : passed.resolve(false))
    cancel = afterEvents(clock, sandboxLimits.drainMs, tooLong)
  }
  wait()
  const isClosed = await Promise.race([output.closed.then(() => true), passed.promise])
  cancel()
  return isClosed
}

/** Both output streams of one command, captured within bounds. */
export class CapturedOutput {
  readonly #streams: Readonly<Record<OutputChunk["stream"], BoundedBytes>>

  constructor(maxBytes: number) {
    this.#streams = { stdout: new BoundedBytes(maxBytes), stderr: new BoundedBytes(maxBytes) }
  }

  push({ stream, bytes }: OutputChunk): void {
    this.#streams[stream].push(bytes)
  }

  captured(): Pick<CommandOutcome, "stdout" | "stderr"> {
    const capture = (bytes: BoundedBytes) => {
      return { head: bytes.head(), tail: bytes.tail(), omitted: bytes.omitted }
    }
    return { stdout: capture(this.#streams.stdout), stderr: capture(this.#streams.stderr) }
  }
}
