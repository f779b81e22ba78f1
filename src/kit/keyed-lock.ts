export type LockMode = "shared" | "exclusive"

interface Waiter {
  readonly mode: LockMode
  readonly enter: () => void
}

interface Queue {
  readers: number
  writing: boolean
  waiting: Waiter[]
}

/** Readers of one key run together, a writer runs alone, and everyone is served in order. */
export class KeyedLock {
  readonly #queues = new Map<string, Queue>()

  /** Resolves with the function that gives the lock back; rejects with the signal's reason. */
  async acquire(key: string, mode: LockMode, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const queue = this.#queues.get(key) ?? { readers: 0, writing: false, waiting: [] }
    this.#queues.set(key, queue)
    await enterQueue(queue, mode, signal)
    let held = true
    return () => {
      if (!held) return
      held = false
      if (mode === "exclusive") queue.writing = false
      else queue.readers -= 1
      admit(queue)
      const idle = queue.readers === 0 && !queue.writing && queue.waiting.length === 0
      if (idle) this.#queues.delete(key)
    }
  }
}

function enterQueue(queue: Queue, mode: LockMode, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      queue.waiting = queue.waiting.filter((other) => other !== waiter)
      admit(queue)
      reject(signal?.reason)
    }
    const waiter: Waiter = {
      mode,
      enter: () => {
        signal?.removeEventListener("abort", leave)
        resolve()
      },
    }
    signal?.addEventListener("abort", leave, { once: true })
    queue.waiting.push(waiter)
    admit(queue)
  })
}

function admit(queue: Queue): void {
  for (;;) {
    const next = queue.waiting[0]
    if (!next || queue.writing) return
    if (next.mode === "exclusive" && queue.readers > 0) return
    queue.waiting.shift()
    if (next.mode === "exclusive") queue.writing = true
    else queue.readers += 1
    next.enter()
  }
}
