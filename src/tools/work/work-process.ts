import type { ChildProcess } from "node:child_process"
import type { Duplex } from "node:stream"
import { isFailureKind, limits, ToolFailure } from "../../contract/index.ts"
import { workLimits } from "../limits.ts"
import type { AnswerFrame } from "./answer-requests.ts"
import { encodeFrame, type Frame, FrameReader } from "./frames.ts"
import type { WorkResult } from "./session-work.ts"
import { type StartedChild, setRef } from "./start-child.ts"

interface Waiting {
  resolve(frame: Frame): void
  reject(error: unknown): void
}

/** A process that answers one request at a time. Whatever it does instead, it can be ended. */
export class WorkProcess {
  readonly #child: ChildProcess
  readonly #messages: Duplex
  readonly #gone: Promise<void>
  #waiting: Waiting | null = null
  #isAlive = true

  constructor({ process, messages }: StartedChild) {
    this.#child = process
    this.#messages = messages
    const reader = new FrameReader(workLimits.answerBytes)
    messages.on("data", (chunk: Uint8Array) => {
      try {
        reader.push(chunk)
        const frame = reader.next()
        if (frame) this.#waiting?.resolve(frame)
      } catch (error) {
        this.#fail(error)
      }
    })
    this.#gone = new Promise((resolve) => {
      process.once("error", (error) => {
        this.#fail(error)
        resolve()
      })
      process.once("exit", (code, signal) => {
        this.#fail(new WorkEnded(code, signal))
        resolve()
      })
    })
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Resolves once it takes requests. */
  async ready(signal: AbortSignal): Promise<void> {
    await this.#receive(signal)
  }

  async ask(
    request: unknown,
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<WorkResult<unknown>> {
    const answer = this.#receive(signal)
    for (const part of encodeFrame(request, bytes)) this.#messages.write(part)
    const { value, bytes: made } = await answer
    const frame = value as AnswerFrame
    switch (frame?.kind) {
      case "answer":
        return { value: frame.value, bytes: made }
      case "failure":
        throw new ToolFailure({
          ...frame.failure,
          kind: isFailureKind(frame.failure?.kind) ? frame.failure.kind : "execution_error",
        })
      default:
        throw this.#fail(new Error("it answered with something else"))
    }
  }

  /** Resolves when it is gone, or when the system takes too long for that. */
  async end(): Promise<void> {
    this.#isAlive = false
    killGroup(this.#child)
    // Keeps this process running while a caller waits for the end.
    this.#child.ref()
    const late = new Promise((resolve) => setTimeout(resolve, limits.killWaitMs).unref())
    await Promise.race([this.#gone, late])
    this.#child.unref()
  }

  async #receive(signal: AbortSignal): Promise<Frame> {
    const { promise, resolve, reject } = Promise.withResolvers<Frame>()
    const abort = () => this.#fail(signal.reason)
    this.#waiting = { resolve, reject }
    signal.addEventListener("abort", abort)
    this.#child.ref()
    setRef(this.#messages, true)
    try {
      if (signal.aborted) abort()
      return await promise
    } finally {
      this.#waiting = null
      signal.removeEventListener("abort", abort)
      this.#child.unref()
      setRef(this.#messages, false)
    }
  }

  #fail(error: unknown): unknown {
    this.#waiting?.reject(error)
    void this.end()
    return error
  }
}

/** Also what bubblewrap has started and not yet made to end with it. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended just now.
  }
}

/** It has ended without having been told to. */
export class WorkEnded extends Error {
  override readonly name = "WorkEnded"
  /** Killed, by its watchdog or the system; or by V8, which ends what finds no more memory. */
  readonly isOutOfMemory: boolean

  constructor(code: number | null, signal: NodeJS.Signals | null) {
    super(`The process that did the work has ended with ${signal ?? `code ${code}`}.`)
    this.isOutOfMemory = signal === "SIGKILL" || signal === "SIGABRT" || memoryCodes.has(code)
  }
}

/** What bubblewrap makes of these signals, and V8's own. */
const memoryCodes: ReadonlySet<number | null> = new Set([128 + 9, 128 + 6, 128 + 5, 133, 134])
