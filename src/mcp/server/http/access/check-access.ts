import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server"
import { DefinitionError } from "../../../../contract/index.ts"
import { errorCode } from "../../../../kit/index.ts"
import { makeDirectories, rateLimit } from "../../../../node/index.ts"
import { serverLimits } from "../../../limits.ts"
import { refuse } from "./refuse.ts"

export type AccessTokens = ReturnType<typeof createAccessTokens>

const leastCharacters = 16

/** The tokens that may use the HTTP server. */
export function createAccessTokens(tokens: readonly string[]) {
  if (tokens.length === 0 || tokens.some((token) => token.length < leastCharacters)) {
    throw new DefinitionError(
      `The server needs at least one token, and each needs ${leastCharacters} characters or more.`,
    )
  }
  const digests = tokens.map(digestOf)
  return {
    /** The names of all tokens; the first is the owner's. */
    names: [...new Set(digests.map(nameFrom))],
    /** A short name for a token, which does not reveal it; null for an unknown one. */
    nameOf(token: string): string | null {
      const digest = digestOf(token)
      // All are compared, in a time that says nothing about them.
      const same = digests.filter((known) => timingSafeEqual(known, digest))
      return same.length === 0 ? null : nameFrom(digest)
    },
  }
}

function nameFrom(digest: Buffer): string {
  return digest.toString("hex").slice(0, 16)
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest()
}

/** The tokens of a file, one a line. Created with one token if missing; only its owner can read it. */
export function readTokenFile(file: string): readonly string[] {
  makeDirectories(dirname(file), 0o700)
  try {
    // Fails when it exists, so that two servers that start together have the same token.
    writeFileSync(file, `${randomBytes(32).toString("base64url")}\n`, { flag: "wx", mode: 0o600 })
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error
    chmodSync(file, 0o600)
  }
  const lines = readFileSync(file, "utf8").split("\n")
  const tokens = lines.map((line) => line.trim()).filter((line) => line.length >= leastCharacters)
  if (tokens.length > 0) return tokens
  throw new Error(
    `${file} has no token of at least ${leastCharacters} characters. Remove the file to create a new one.`,
  )
}

export type Access =
  | { readonly kind: "granted"; readonly token: string }
  | { readonly kind: "refused"; readonly response: Response }

/** Whether a server at this address is reached by any name that this machine has. */
export function isEveryAddress(hostname: string): boolean {
  return hostname === "0.0.0.0" || hostname === "::"
}

/**
 * A web page can send requests here under any name of this machine, so Host and Origin are checked before the token.
 * A server that listens at another address than the default is also called by that, or by any name.
 */
export function accessCheck(
  tokens: AccessTokens,
  names: ServerNames = {},
): (request: Request) => Access {
  const hasRoom = rateLimit(serverLimits.strangerRate)
  const wrongHost = hostCheck(names)
  return (request) => {
    const stranger =
      wrongHost(request) ?? originValidationResponse(request, localhostAllowedOrigins())
    if (stranger) return { kind: "refused", response: stranger }
    const given = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1]
    const token = given === undefined ? null : tokens.nameOf(given)
    if (token !== null) return { kind: "granted", token }
    return { kind: "refused", response: hasRoom() ? noToken() : tooManyWrong() }
  }
}

/** What a server is called: by the address that it listens at, and by one more. */
export interface ServerNames {
  readonly hostname?: string | undefined
  readonly publicUrl?: string | undefined
}

/** Refuses requests for another name than those of this machine and of the server; undefined for the others. */
export function hostCheck({
  hostname = "127.0.0.1",
  publicUrl,
}: ServerNames): (request: Request) => Response | undefined {
  const own = hostname.includes(":") ? `[${hostname}]` : hostname
  const hostnames = [...localhostAllowedHostnames(), "toolkeep.localhost", own.toLowerCase()]
  if (publicUrl !== undefined) hostnames.push(new URL(publicUrl).hostname)
  return (request) =>
    isEveryAddress(hostname) ? undefined : hostHeaderValidationResponse(request, hostnames)
}

function noToken(): Response {
  const message =
    "Requests need the header Authorization: Bearer <token>. `toolkeep up` shows the token."
  return refuse(401, message, { "WWW-Authenticate": 'Bearer realm="toolkeep"' })
}

function tooManyWrong(): Response {
  return refuse(429, "Too many requests without a valid token.", { "Retry-After": "10" })
}
