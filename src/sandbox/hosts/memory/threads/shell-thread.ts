import { Worker } from "node:worker_threads"
import type { OutputChunk, ToolFailure } from "../../../../contract/index.ts"
import { errorCode, errorText } from "../../../../kit/index.ts"
import { memoryHostLimits } from "../../../limits.ts"
import { compiledCodeEnvironment } from "../../../programs/compiled-code.ts"
import { type DiskCalls, diskCalls } from "../disk/disk-calls.ts"
import type {
  DiskRequest,
  FromThread,
  Script,
  ScriptEnd,
  ThreadData,
  ToThread,
} from "./thread-messages.ts"

export type ThreadEnd =
  | ScriptEnd
  /** From outside; the failure is what the script's caller gets, where that is not known already. */
  | { readonly kind: "terminated"; readonly failure?: ToolFailure }

interface Running {
  readonly onOutput: (chunk: OutputChunk) => void
  readonly end: (end: ThreadEnd) => void
}

/** A thread that runs one script at a time over a disk that stays in this one. */
export class ShellThread {
  readonly #worker: Worker
  readonly #disk: DiskCalls
  readonly #memoryBytes: number
  /** Settles when scripts can run, or when they never will. */
  readonly ready: Promise<void>
  #becomeReady = () => {}
  readonly #stop: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(4))
  #running: Running | null = null
  /** How a script that still runs when the thread ends has ended. */
  #lastEnd: ThreadEnd = { kind: "terminated" }
  #ended = false
  #heapBytes = 0

  constructor(disk: DiskCalls, memoryBytes: number) {
    this.#disk = disk
    this.#memoryBytes = memoryBytes
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve
    })
    this.#worker = startWorker({ stop: this.#stop, memoryBytes })
    this.#worker.on("message", (message: FromThread) => this.#receive(message))
    this.#worker.on("error", (error) => this.#fail(error))
    this.#worker.on("exit", () => this.#exit())
  }

  /** Whether another script can run here without paying for what an earlier one left behind. */
  get isFresh(): boolean {
    return !this.#ended && this.#heapBytes < this.#memoryBytes / 2
  }

  async run(script: Script, onOutput: (chunk: OutputChunk) => void): Promise<ThreadEnd> {
    if (this.#ended) return this.#lastEnd
    const outOfMemory = () => void this.terminate({ kind: "out-of-memory" })
    const unwatch = watchMemory(this.#worker, this.#memoryBytes, outOfMemory)
    try {
      return await new Promise<ThreadEnd>((end) => {
        this.#running = { onOutput, end }
        this.#post({ kind: "run", script })
      })
    } finally {
      unwatch()
    }
  }

  /** A thread that works keeps the process running, one that rests does not. */
  work(): void {
    this.#worker.ref()
  }

  rest(): void {
    this.#worker.unref()
  }

  /** Asks the running script to end and to hand over what it has printed. It may not listen. */
  askToStop(): void {
    Atomics.store(this.#stop, 0, 1)
    this.#post({ kind: "wake" })
  }

  /** Ends the thread, whatever it does. What its script did to the disk stays. */
  async terminate(end: ThreadEnd = { kind: "terminated" }): Promise<void> {
    if (!this.#ended) this.#lastEnd = end
    this.#ended = true
    // From here on nothing of the script counts, not even what is already on its way.
    this.#worker.removeAllListeners("message")
    await this.#worker.terminate()
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case "ready":
        this.#becomeReady()
        break
      case "disk-request":
        answerDiskRequest(this.#disk, message, (answer, moved) => this.#post(answer, moved))
        break
      case "output":
        this.#running?.onOutput({ stream: message.stream, bytes: message.bytes })
        break
      case "ended":
        this.#heapBytes = message.heapBytes
        this.#finish(message.end)
        break
      default:
        message satisfies never
    }
  }

  #fail(error: unknown): void {
    const isMemory = errorCode(error) === "ERR_WORKER_OUT_OF_MEMORY"
    this.#lastEnd = isMemory
      ? { kind: "out-of-memory" }
      : { kind: "failed", message: errorText(error) }
  }

  #exit(): void {
    this.#ended = true
    this.#becomeReady()
    this.#finish(this.#lastEnd)
  }

  #finish(end: ThreadEnd): void {
    this.#running?.end(end)
    this.#running = null
  }

  #post(message: ToThread, moved: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, moved)
  }
}

type Answer = (message: ToThread, moved?: readonly ArrayBuffer[]) => void

function answerDiskRequest(disk: DiskCalls, request: DiskRequest, answer: Answer): void {
  const { id, call, parameters } = request
  try {
    // The thread runs code that strangers wrote; what it asks for is checked, not believed.
    if (!diskCalls.includes(call)) throw new Error("EIO: no such call")
    const value: unknown = Reflect.apply(disk[call], disk, parameters)
    answer({ kind: "disk-answer", id, value }, value instanceof Uint8Array ? [bufferOf(value)] : [])
  } catch (error) {
    answer({ kind: "disk-refusal", id, message: errorText(error) })
  }
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer as ArrayBuffer
}

const megabyte = 1024 * 1024
/**
 * A single allocation beyond V8's own limit ends the whole process. So a thread that uses too much
 * is ended earlier, by looking at it, and V8's limit is only the last resort.
 */
const lastResort = 4

/** Starts the thread that runs scripts, without anything of this process's environment. */
function startWorker(data: ThreadData): Worker {
  return new Worker(new URL("../memory-worker.ts", import.meta.url), {
    workerData: data,
    env: compiledCodeEnvironment(),
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    name: "toolkeep-shell",
    resourceLimits: {
      maxOldGenerationSizeMb: (lastResort * data.memoryBytes) / megabyte,
    },
  })
}

/** A thread looks at itself first, and knows better what is garbage; this is for one that can't. */
const tolerance = 1.5

/** Calls back once when the thread's memory exceeds the limit; the returned function ends the watch. */
function watchMemory(worker: Worker, limitBytes: number, exceeded: () => void): () => void {
  // Older versions of Node can't look; there only the thread watches itself.
  if (typeof worker.getHeapStatistics !== "function") return () => {}
  let looking = false
  const timer = setInterval(async () => {
    if (looking) return
    looking = true
    try {
      const heap = await worker.getHeapStatistics()
      if (heap.used_heap_size + heap.external_memory > tolerance * limitBytes) {
        clearInterval(timer)
        exceeded()
      }
    } catch {
      clearInterval(timer)
    }
    looking = false
  }, memoryHostLimits.memoryCheckMs)
  timer.unref()
  return () => clearInterval(timer)
}
