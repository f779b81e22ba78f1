import type { Scope } from "../../api/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { rateLimit } from "../../node/index.ts"
import type { RecordStore } from "../../store/index.ts"
import { httpLimits } from "../limits.ts"
import { allows, isOwn, type Token, type TokenStore } from "./token-store.ts"

/** Who may use what; one for all the APIs of a server, so that a token has one rate. */
export interface Access {
  /** The token with this secret; refuses one that is not valid, asks too often or does not allow this. */
  require(secret: string | undefined, scope: Exclude<Scope, "open">): Token
  /** The same of a token that was found before, by its id. */
  requireId(id: string, scope: Exclude<Scope, "open">): Token
  /** Refuses a session that the token is not for. */
  requireSession(token: Token, session: unknown): Promise<void>
}

/** A token, or a stranger, asks too often. */
export class TooManyRequests extends ToolFailure {}

/** The secret is missing or not valid. */
export class Unauthorized extends Error {}

const verbs = {
  read: "read",
  call: "call tools",
  approve: "answer questions",
  own: "change this",
} as const

export interface AccessDeps {
  readonly tokens: TokenStore
  readonly store: RecordStore
}

export function createAccess({ tokens, store }: AccessDeps): Access {
  const rates = new Map<string, () => boolean>()
  function admit(token: Token | null | undefined, scope: Exclude<Scope, "open">): Token {
    if (!token) throw new Unauthorized()
    const hasRoom = rates.get(token.id) ?? rateLimit(httpLimits.requestRate)
    rates.set(token.id, hasRoom)
    if (!hasRoom()) throw tooMany()
    if (!allows(token, scope)) throw notAllowed(token, `it does not allow to ${verbs[scope]}`)
    return token
  }
  return {
    require: (secret, scope) => admit(secret === undefined ? null : tokens.find(secret), scope),
    requireId: (id, scope) =>
      admit(tokens.has(id) ? tokens.list().find((one) => one.id === id) : null, scope),
    async requireSession(token, session) {
      if (token.session === null || session === token.session) return
      const reader = typeof session === "string" ? await store.read(session) : null
      const known = await reader?.session()
      if (known && isOwn(token, known)) return
      throw notAllowed(token, `it is for the session ${JSON.stringify(token.session)} only`)
    },
  }
}

export function tooMany(): ToolFailure {
  const message = "Too many requests in a short time. Slow down."
  return new TooManyRequests({ kind: "unavailable", message, retryable: true })
}

function notAllowed({ name }: Token, why: string): ToolFailure {
  const message = `The token ${JSON.stringify(name)} can't be used for this: ${why}.`
  return new ToolFailure({ kind: "rejected", message })
}
