import { AsyncLocalStorage } from "node:async_hooks"
import { batch } from "@preact/signals-core"
import type { Scope } from "./scope.ts"

/** What is written: a function of what is there, so that two handlers at once lose nothing of each other. */
export type Change = (raw: unknown) => unknown

export interface Target {
  peekRaw(): unknown
  writeRaw(raw: unknown): void
}

/** What one handler writes: it sees that at once, everybody else when it has ended. */
export class Transaction {
  readonly scope: Scope
  #changes = new Map<Target, Change[]>()
  #isOpen = true

  constructor(scope: Scope) {
    this.scope = scope
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  add(target: Target, change: Change): void {
    const known = this.#changes.get(target)
    if (known) known.push(change)
    else this.#changes.set(target, [change])
  }

  /** Reads with what was written; it is taken back before any effect could see it. */
  see<T>(read: () => T): T {
    if (this.#changes.size === 0) return read()
    return batch(() => {
      const before = [...this.#changes.keys()].map((target) => ({ target, raw: target.peekRaw() }))
      try {
        this.#apply()
        return read()
      } finally {
        for (const { target, raw } of before) target.writeRaw(raw)
      }
    })
  }

  /** Everything that was written so far, at once. */
  commit(): void {
    batch(() => this.#apply())
    this.#changes.clear()
  }

  end(outcome: "commit" | "discard"): void {
    this.#isOpen = false
    if (outcome === "commit") this.commit()
    else this.#changes.clear()
  }

  #apply(): void {
    for (const [target, changes] of this.#changes) {
      target.writeRaw(changes.reduce((raw, change) => change(raw), target.peekRaw()))
    }
  }
}

/** Also after an `await` of a handler. */
const running = new AsyncLocalStorage<Transaction>()

/** That of the handler that runs; null outside of one. */
export function currentTransaction(): Transaction | null {
  const transaction = running.getStore()
  return transaction?.isOpen ? transaction : null
}

/** What a handler starts is not a part of it: a pattern, or a run that may start one. */
export function outsideTransaction<T>(work: () => T): T {
  return running.exit(work)
}

export function inTransaction<T>(transaction: Transaction, work: () => T): T {
  return running.run(transaction, work)
}
