import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { rateLimit } from "../../node/index.ts"
import { type Access, tooMany, Unauthorized } from "../access/authorize.ts"
import type { Token } from "../access/token-store.ts"
import { httpLimits } from "../limits.ts"
import { isSignedWith, type SignedRequest } from "./files/signed-urls.ts"

/** Who may use one sandbox: the access tokens that E2B's clients get for theirs. */
export interface EnvdAccess {
  /** For the sandbox alone, and for as long as the server's token is valid that asked for it. */
  issue(token: Token, sandbox: string): string
  /** The server's token behind an access token; refuses any other. */
  require(accessToken: string | null, sandbox: string): Token
  /** The sandbox and the token with which an address was signed. */
  requireSigned(
    request: SignedRequest,
    nowMs: number,
  ): { readonly token: Token; readonly sandbox: string }
}

/**
 * An access token is the id of a token of this server and a code over that and the sandbox's id, with a key that follows
 * from the owner's secret: nothing has to be stored, and it is valid after a restart.
 */
export function createEnvdAccess(access: Access, ownerSecret: string): EnvdAccess {
  const key = Buffer.from(hkdfSync("sha256", ownerSecret, "", "toolkeep e2b access tokens", 32))
  /** The last of this process, for addresses that say nothing but a signature. */
  const issued = new Map<string, { readonly token: string; readonly sandbox: string }>()
  const hasRoom = rateLimit(httpLimits.e2bSignedRate)
  const codeOf = (token: string, sandbox: string) =>
    createHmac("sha256", key).update(`${token}\0${sandbox}`).digest("base64url")
  const accessTokenOf = (token: string, sandbox: string) => `${token}.${codeOf(token, sandbox)}`

  return {
    issue(token, sandbox) {
      const accessToken = accessTokenOf(token.id, sandbox)
      issued.delete(accessToken)
      const [oldest] = issued.keys()
      if (issued.size >= httpLimits.e2bSigners && oldest !== undefined) issued.delete(oldest)
      issued.set(accessToken, { token: token.id, sandbox })
      return accessToken
    },
    require(accessToken, sandbox) {
      const [id = ""] = accessToken?.split(".", 1) ?? []
      const expected = Buffer.from(accessTokenOf(id, sandbox))
      const given = Buffer.from(accessToken ?? "")
      const isRight = expected.length === given.length && timingSafeEqual(expected, given)
      if (!isRight) throw new Unauthorized()
      return access.requireId(id, "call")
    },
    requireSigned(request, nowMs) {
      if (!hasRoom()) throw tooMany()
      for (const [accessToken, { token, sandbox }] of issued) {
        if (!isSignedWith(accessToken, request, nowMs)) continue
        return { token: access.requireId(token, "call"), sandbox }
      }
      throw new Unauthorized()
    },
  }
}
