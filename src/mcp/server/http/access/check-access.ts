import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server"
import { serverLimits } from "../../../limits.ts"
import type { AccessTokens } from "./access-tokens.ts"
import { rateLimit } from "./rate-limit.ts"
import { refuse } from "./refuse.ts"

export type Access =
  | { readonly kind: "granted"; readonly token: string }
  | { readonly kind: "refused"; readonly response: Response }

/** A web page can send requests here under any name of this machine, so Host and Origin are checked before the token. */
export function accessCheck(tokens: AccessTokens): (request: Request) => Access {
  const hasRoom = rateLimit(serverLimits.strangerRate)
  return (request) => {
    const stranger =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    if (stranger) return { kind: "refused", response: stranger }
    const given = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1]
    const token = given === undefined ? null : tokens.nameOf(given)
    if (token !== null) return { kind: "granted", token }
    return { kind: "refused", response: hasRoom() ? noToken() : tooManyWrong() }
  }
}

function noToken(): Response {
  const message =
    "This server takes requests with its token: Authorization: Bearer <token>. `toolkeep up` shows it."
  return refuse(401, message, { "WWW-Authenticate": 'Bearer realm="toolkeep"' })
}

function tooManyWrong(): Response {
  return refuse(429, "Too many requests without a valid token.", { "Retry-After": "10" })
}
