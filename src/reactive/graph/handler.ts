import { isEvaluating, isRef } from "./ref.ts"
import { createScope, type Scope, wiringScope } from "./scope.ts"
import { inTransaction, Transaction } from "./transaction.ts"

/** What a page or a program sends events to. */
export interface Handler<Event> {
  /** Resolves when everything that the handler did is there; rejects with what it threw, and then nothing is. */
  send(event: Event): Promise<void>
}

/**
 * Handles events. What it writes appears at once when it ends, also when it is async, and not at all when it throws.
 * A step that it asks for runs once. With a second parameter it is bound to it later: `remove({ id })`.
 */
export function handler<Event, Bound = void>(
  fn: (event: Event, bound: Bound) => unknown,
): Handler<Event> & ((bound: Bound) => Handler<Event>) {
  const scope = wiringScope()
  // One that is made outside of a pattern belongs to the body that binds it.
  const bind = (bound: Bound) => new HandlerNode(fn, bound, scope ?? wiringScope())
  // Until it is bound, it is called without: for those that close over what they need.
  const unbound = new HandlerNode<Event, Bound | undefined>(
    fn as (event: Event, bound: Bound | undefined) => unknown,
    undefined,
    scope,
  )
  const made = Object.assign(bind, { send: (event: Event) => unbound.send(event) })
  handlers.set(made, unbound as unknown as HandlerNode<unknown, unknown>)
  return made
}

/** One of them with what it is bound to: the same function and an equal value are the same handler for a page. */
export class HandlerNode<Event, Bound> implements Handler<Event> {
  readonly fn: (event: Event, bound: Bound) => unknown
  readonly bound: Bound
  readonly #scope: Scope | null

  constructor(fn: (event: Event, bound: Bound) => unknown, bound: Bound, scope: Scope | null) {
    this.fn = fn
    this.bound = bound
    this.#scope = scope
  }

  /** `page`: the pattern whose page it is on, for one that belongs to none. */
  send(event: Event, page: Scope | null = null): Promise<void> {
    // At once: the value that sent it would change and send again for ever.
    if (isEvaluating()) {
      throw new Error("A handler can't be sent an event inside computed or in the braces of JSX.")
    }
    return this.#handle(event, page)
  }

  async #handle(event: Event, page: Scope | null): Promise<void> {
    const scope = this.#scope ?? page ?? createScope("")
    scope.requireOpen()
    const transaction = new Transaction(scope)
    try {
      await inTransaction(transaction, () => {
        const done = this.fn(event, this.bound)
        // Only promises are waited for: what else a handler did is there when `send` returns.
        if (done instanceof Promise) return done
        transaction.end("commit")
      })
      if (transaction.isOpen) transaction.end("commit")
    } catch (error) {
      transaction.end("discard")
      throw error
    }
  }
}

const handlers = new WeakMap<object, HandlerNode<unknown, unknown>>()

/** The handler that a value is, bound or not; null where it is none. */
export function handlerOf(value: unknown): HandlerNode<unknown, unknown> | null {
  if (isRef(value)) return null
  if (value instanceof HandlerNode) return value
  return (typeof value === "function" && handlers.get(value)) || null
}
