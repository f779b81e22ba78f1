import { workLimits } from "../limits.ts"

/** A session that wants to work, and its owner. An owner may have many of them. */
export interface Worker {
  readonly owner: string
}

interface Turns {
  running: number
  /** 0 before its first. */
  lastTurn: number
}

interface Waiting extends Turns {
  readonly owner: Turns
  readonly waiting: (() => void)[]
}

/**
 * Decides which session may work when: a number of processes in all, a few for each session, and as many for an owner as are left
 * for the others. Owners take turns, and so do the sessions of one. So one that has a lot to do waits for
 * itself, and the others for one piece of its work at most.
 */
export class WorkPlaces {
  readonly #owners = new Map<string, Turns>()
  readonly #workers = new Map<Worker, Waiting>()
  #running = 0
  #turns = 0

  /** Resolves with the function that gives the place back; rejects with the signal's reason. */
  async enter(worker: Worker, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const known = this.#know(worker)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      const at = known.waiting.indexOf(resolve)
      if (at === -1) return
      known.waiting.splice(at, 1)
      this.#forget(worker, known)
      reject(signal.reason)
    }
    known.waiting.push(resolve)
    signal.addEventListener("abort", giveUp, { once: true })
    this.#admit()
    await promise.finally(() => signal.removeEventListener("abort", giveUp))
    return () => {
      this.#count(known, -1)
      this.#forget(worker, known)
      this.#admit()
    }
  }

  /** Of those who wait, whose owner has the least under way is next; of several, whose last turn is longest ago. */
  #admit(): void {
    while (this.#running < workLimits.running) {
      const left = workLimits.running - this.#running
      const [next] = [...this.#workers.values()]
        .filter(({ waiting }) => waiting.length > 0)
        .filter(({ running, owner }) => running < workLimits.runningEach && owner.running < left)
        .sort((a, b) => inTurn(a.owner, b.owner) || inTurn(a, b))
      const enter = next?.waiting.shift()
      if (!next || !enter) return
      this.#turns += 1
      next.lastTurn = this.#turns
      next.owner.lastTurn = this.#turns
      this.#count(next, 1)
      enter()
    }
  }

  #count(known: Waiting, more: 1 | -1): void {
    known.running += more
    known.owner.running += more
    this.#running += more
  }

  #know(worker: Worker): Waiting {
    const known = this.#workers.get(worker)
    if (known) return known
    const owner = this.#owners.get(worker.owner) ?? { running: 0, lastTurn: 0 }
    const made = { running: 0, lastTurn: 0, owner, waiting: [] }
    this.#owners.set(worker.owner, owner)
    this.#workers.set(worker, made)
    return made
  }

  #forget(worker: Worker, { running, waiting }: Waiting): void {
    if (running > 0 || waiting.length > 0) return
    this.#workers.delete(worker)
    if (![...this.#workers.keys()].some(({ owner }) => owner === worker.owner)) {
      this.#owners.delete(worker.owner)
    }
  }
}

function inTurn(a: Turns, b: Turns): number {
  return a.running - b.running || a.lastTurn - b.lastTurn
}
