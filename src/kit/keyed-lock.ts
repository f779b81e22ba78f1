export type LockMode = "shared" | "exclusive"

interface Waiter {
  readonly mode: LockMode
  readonly enter: () => void
}

interface Queue {
  readers: number
  writing: boolean
  readonly waiting: Waiter[]
}

/** Readers of one key run together, a writer runs alone, and everyone is served in order. */
export class KeyedLock {
  readonly #queues = new Map<string, Queue>()

  /** Resolves with the function that gives the lock back. */
  async acquire(key: string, mode: LockMode): Promise<() => void> {
    const queue = this.#queues.get(key) ?? { readers: 0, writing: false, waiting: [] }
    this.#queues.set(key, queue)
    await new Promise<void>((enter) => {
      queue.waiting.push({ mode, enter })
      admit(queue)
    })
    let held = true
    return () => {
      if (!held) return
      held = false
      if (mode === "exclusive") queue.writing = false
      else queue.readers -= 1
      admit(queue)
      if (queue.readers === 0 && !queue.writing && queue.waiting.length === 0) {
        this.#queues.delete(key)
      }
    }
  }
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
