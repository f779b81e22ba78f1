import { limits } from "../../contract/index.ts"

interface Owner {
  running: number
  /** 0 before its first. */
  lastTurn: number
  readonly waiting: (() => void)[]
}

/**
 * Who may work when: so many processes in all, a few for each owner, and the owners take turns. So one
 * that has a lot to do waits for itself, and the others for one piece of its work at most.
 */
export class WorkPlaces {
  readonly #owners = new Map<object, Owner>()
  #running = 0
  #turns = 0

  /** Resolves with the function that gives the place back; rejects with the signal's reason. */
  async enter(key: object, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const owner = this.#owners.get(key) ?? { running: 0, lastTurn: 0, waiting: [] }
    this.#owners.set(key, owner)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      const at = owner.waiting.indexOf(resolve)
      if (at === -1) return
      owner.waiting.splice(at, 1)
      this.#forget(key, owner)
      reject(signal.reason)
    }
    owner.waiting.push(resolve)
    signal.addEventListener("abort", giveUp, { once: true })
    this.#admit()
    await promise.finally(() => signal.removeEventListener("abort", giveUp))
    return () => {
      owner.running -= 1
      this.#running -= 1
      this.#forget(key, owner)
      this.#admit()
    }
  }

  /** Of those who wait, the one with the least under way is next; of several, whose last turn is longest ago. */
  #admit(): void {
    while (this.#running < limits.work.running) {
      const [next] = [...this.#owners.values()]
        .filter(({ running, waiting }) => waiting.length > 0 && running < limits.work.runningEach)
        .sort((a, b) => a.running - b.running || a.lastTurn - b.lastTurn)
      const enter = next?.waiting.shift()
      if (!next || !enter) return
      this.#turns += 1
      this.#running += 1
      next.lastTurn = this.#turns
      next.running += 1
      enter()
    }
  }

  #forget(key: object, { running, waiting }: Owner): void {
    if (running === 0 && waiting.length === 0) this.#owners.delete(key)
  }
}
