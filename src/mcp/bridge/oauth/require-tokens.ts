import type { OAuthTokens } from "@modelcontextprotocol/client"
import { limits, ToolFailure } from "../../../contract/index.ts"

/** What a header may hold of a token. Anything else would be refused with the token in the message, or be another header. */
const sendable = /^[!-~]+$/

/** Tokens that can be sent; throws a ToolFailure for others. */
export function requireTokens<Tokens extends OAuthTokens>(tokens: Tokens): Tokens {
  const { access_token: access, refresh_token: refresh = "", token_type: type } = tokens
  const isSendable = sendable.test(access) && access.length <= limits.bridge.tokenCharacters
  if (isSendable && refresh.length <= limits.bridge.tokenCharacters && /^bearer$/i.test(type)) {
    return tokens
  }
  throw new ToolFailure({
    kind: "execution_error",
    message: "Its authorization server gave out a token that can't be used.",
  })
}
