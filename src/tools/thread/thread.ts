import type { Transferable, Worker } from "node:worker_threads"
import { ToolFailure } from "../../contract/index.ts"
import { KeyedLock } from "../../kit/index.ts"
import type { ThreadAnswer } from "./answer-requests.ts"

export interface AskOptions {
  readonly signal: AbortSignal
  /** Handed over instead of copied. */
  readonly transfer?: readonly Transferable[]
}

/**
 * Work that would hold up this process or could not be stopped in it: a thread that is started by
 * the first request and answers one at a time. An aborted request ends the thread, because nothing
 * else ends a busy loop; the next request starts a new one.
 */
export class Thread<Request, Answer> {
  readonly #start: () => Worker
  readonly #turns = new KeyedLock()
  #worker: Worker | null = null

  constructor(start: () => Worker) {
    this.#start = start
  }

  async ask(request: Request, options: AskOptions): Promise<Answer> {
    const release = await this.#turns.acquire("turn", "exclusive", options.signal)
    try {
      const answer = await this.#exchange(request, options)
      if (answer.ok) return answer.value as Answer
      throw new ToolFailure(answer.failure)
    } finally {
      release()
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  #exchange(request: Request, { signal, transfer = [] }: AskOptions): Promise<ThreadAnswer> {
    const worker = this.#running()
    return new Promise<ThreadAnswer>((resolve, reject) => {
      const finish = () => {
        signal.removeEventListener("abort", abort)
        worker.off("message", receive).off("error", fail).off("exit", fail)
        worker.unref()
      }
      const receive = (answer: ThreadAnswer) => {
        finish()
        resolve(answer)
      }
      const lose = (reason: unknown) => {
        finish()
        this.#forget(worker)
        void worker.terminate()
        reject(reason)
      }
      const fail = (error: unknown) => lose(lost(error))
      const abort = () => lose(signal.reason)
      worker.on("message", receive).on("error", fail).on("exit", fail)
      signal.addEventListener("abort", abort, { once: true })
      worker.ref()
      worker.postMessage(request, [...transfer])
    })
  }

  #running(): Worker {
    if (this.#worker) return this.#worker
    const worker = this.#start()
    // An error that nobody waits for would end this process.
    worker.on("error", () => this.#forget(worker))
    worker.on("exit", () => this.#forget(worker))
    this.#worker = worker
    return worker
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = null
  }
}

function lost(error: unknown): ToolFailure {
  const isFull =
    error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
  const reason = error instanceof Error ? `with an error, ${error.message}` : `with code ${error}`
  return new ToolFailure(
    {
      kind: "execution_error",
      message: isFull
        ? "The work needed more memory than it may use. Try it with less data."
        : `The thread that did the work has ended ${reason}.`,
    },
    { cause: error },
  )
}
