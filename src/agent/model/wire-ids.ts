import type { ModelCall } from "../messages.ts"

/**
 * The ids that calls have in one request: the provider's own, unless that is used twice in the conversation or another
 * provider gave it, whose form this one may refuse. The same conversation gets the same ids each time.
 */
export class WireIds {
  readonly #ids = new Map<string, string>()
  readonly #used = new Set<string>()
  readonly #before: WireIds | null

  /** After those of an earlier part of the conversation. */
  constructor(before: WireIds | null = null) {
    this.#before = before
  }

  has(id: string): boolean {
    return this.#used.has(id) || (this.#before?.has(id) ?? false)
  }

  add(call: ModelCall, isOwn: boolean): string {
    const id = unusedId(isOwn ? call.providerId : acceptable(call.providerId), this)
    this.#used.add(id)
    this.#ids.set(call.id, id)
    return id
  }

  of(call: ModelCall): string {
    return this.#find(call.id) ?? call.providerId
  }

  #find(call: string): string | undefined {
    const own = this.#ids.get(call)
    return own === undefined && this.#before ? this.#before.#find(call) : own
  }
}

/** Anthropic accepts only these characters, and OpenAI at most 40. */
function acceptable(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 36)
}

/** The id itself, or with a number behind it where it is taken or empty. */
export function unusedId(id: string, used: Pick<ReadonlySet<string>, "has">): string {
  const wanted = id === "" ? "call" : id
  if (id !== "" && !used.has(id)) return id
  for (let number = 2; ; number += 1) {
    if (!used.has(`${wanted}_${number}`)) return `${wanted}_${number}`
  }
}
