import { ToolFailure } from "../../../../contract/index.ts"
import { onAbort } from "../../../../kit/index.ts"
import { memoryHostLimits } from "../../../limits.ts"
import type { DiskCalls } from "../disk/disk-calls.ts"
import { ShellThread } from "./shell-thread.ts"

export interface ThreadPoolOptions {
  readonly disk: DiskCalls
  readonly memoryBytes: number
  /** How many run at once. */
  readonly threads: number
}

/** The threads of one sandbox: made when needed, a few kept warm, served in order. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions
  readonly #idle: ShellThread[] = []
  readonly #busy = new Set<ShellThread>()
  readonly #waiting: PromiseWithResolvers<ShellThread>[] = []
  #isStarting = false
  #destroyed = false

  constructor(options: ThreadPoolOptions) {
    this.#options = options
  }

  get memoryBytes(): number {
    return this.#options.memoryBytes
  }

  /** A thread for one script. Rejects with the signal's reason when that comes first. */
  async take(signal: AbortSignal): Promise<ShellThread> {
    signal.throwIfAborted()
    if (this.#destroyed) throw sandboxGone()
    const waiter = Promise.withResolvers<ShellThread>()
    this.#waiting.push(waiter)
    const stopListening = onAbort(signal, () => {
      const at = this.#waiting.indexOf(waiter)
      if (at >= 0) this.#waiting.splice(at, 1)
      waiter.reject(signal.reason)
    })
    this.#admit()
    return waiter.promise.finally(stopListening)
  }

  /** The thread's script has ended by itself. */
  giveBack(thread: ShellThread): void {
    this.#busy.delete(thread)
    thread.rest()
    if (this.#destroyed || !thread.isFresh || this.#isWarmEnough()) void thread.terminate()
    else this.#idle.push(thread)
    this.#admit()
  }

  /** Ends a thread together with the script that runs on it. */
  async discard(thread: ShellThread): Promise<void> {
    await thread.terminate()
    this.#busy.delete(thread)
    this.#admit()
  }

  /** Ends every thread; what runs or waits answers with the failure. */
  async rest(failure: ToolFailure): Promise<void> {
    for (const waiter of this.#waiting.splice(0)) waiter.reject(failure)
    const threads = [...this.#idle.splice(0), ...this.#busy]
    await Promise.all(threads.map((thread) => thread.terminate({ kind: "terminated", failure })))
  }

  async destroy(): Promise<void> {
    this.#destroyed = true
    await this.rest(sandboxGone())
  }

  #isWarmEnough(): boolean {
    return this.#waiting.length === 0 && this.#idle.length >= memoryHostLimits.idleThreads
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#busy.size < this.#options.threads) {
      const thread = this.#takeIdle() ?? this.#start()
      if (thread === null) return
      thread.work()
      this.#busy.add(thread)
      this.#waiting.shift()?.resolve(thread)
    }
  }

  #takeIdle(): ShellThread | null {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.isFresh) return idle
    return null
  }

  /** One after the other: while one starts, those that run may end, and most commands are short. */
  #start(): ShellThread | null {
    if (this.#isStarting) return null
    this.#isStarting = true
    const thread = new ShellThread(this.#options.disk, this.#options.memoryBytes)
    void thread.ready.then(() => {
      this.#isStarting = false
      this.#admit()
    })
    return thread
  }
}

export function sandboxGone(): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message: "The sandbox has been destroyed." })
}
