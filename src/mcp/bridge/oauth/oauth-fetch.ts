import { type IncomingMessage, request as requestPlain } from "node:http"
import { request as requestSecure } from "node:https"
import { isIPv6, type LookupFunction } from "node:net"
import { isSafeForTokens } from "../../../config/index.ts"
import { parseObject, ToolFailure } from "../../../contract/index.ts"
import type { Secrets } from "../../../kit/index.ts"
import { createEgressGuard, type EgressGuard } from "../../../sandbox/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { cleanSentence, cleanText } from "../connection/clean-text.ts"

const { oauthBytes, oauthMs, oauthRedirects } = bridgeLimits

/**
 * `fetch` for the addresses in a server's metadata. The server chooses them, so each has to be public and https,
 * unless the configuration names its host: none leads into Toolkeep's own network. Errors never quote what was sent.
 */
export function oauthFetch(
  named: readonly URL[],
  reach: Pick<EgressGuard, "decide"> = createEgressGuard(),
): typeof fetch {
  const hosts = new Set(named.map(({ hostname }) => hostname))

  async function addressesOf(url: URL): Promise<readonly string[] | null> {
    if (!["http:", "https:"].includes(url.protocol)) throw refused(url, "it is not a web address")
    if (!isSafeForTokens(url)) throw refused(url, "it is not https")
    if (hosts.has(url.hostname)) return null
    if (url.protocol === "http:") throw refused(url, "it is not https")
    const decision = await reach.decide(url.hostname, Number(url.port) || 443)
    if (decision.kind === "deny") throw refused(url, decision.rule)
    return decision.addresses
  }

  return async (input, init = {}) => {
    let url = new URL(input instanceof Request ? input.url : input)
    const signal = AbortSignal.any([
      AbortSignal.timeout(oauthMs),
      ...(init.signal ? [init.signal] : []),
    ])
    for (let redirects = 0; ; redirects += 1) {
      const answer = await send(url, { init, signal, addresses: await addressesOf(url) })
      const next = answer.headers.get("location")
      const isRedirect = answer.status >= 300 && answer.status < 400 && next !== null
      const follows = (init.method ?? "GET") === "GET" && init.redirect !== "manual"
      if (!isRedirect || !follows || redirects === oauthRedirects) return answer
      url = new URL(next, url)
    }
  }
}

function refused(url: URL, why: string): ToolFailure {
  const address = cleanText(url.host || url.protocol, 200)
  return new ToolFailure({
    kind: "rejected",
    message: `For the login, its metadata names ${address}, which may not be reached: ${why}.`,
  })
}

interface Sending {
  readonly init: RequestInit
  readonly signal: AbortSignal
  /** The checked addresses; null where the system may look them up. */
  readonly addresses: readonly string[] | null
}

function send(url: URL, { init, signal, addresses }: Sending): Promise<Response> {
  const body = init.body === undefined || init.body === null ? null : String(init.body)
  const isForm = init.body instanceof URLSearchParams
  const request = url.protocol === "https:" ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    const fail = () => {
      const message = `For the login, ${cleanText(url.host, 200)} could not be reached.`
      reject(new ToolFailure({ kind: "unavailable", message }))
    }
    const sent = request(
      url,
      {
        method: init.method ?? "GET",
        headers: Object.fromEntries(new Headers(init.headers)),
        signal,
        agent: false,
        ...(addresses && { lookup: onlyAt(addresses) }),
      },
      (message) => readAnswer(message, isForm).then(resolve, fail),
    )
    sent.on("error", fail)
    sent.end(body ?? undefined)
  })
}

function onlyAt(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, { all }, callback) => {
    const [first] = found
    if (all) callback(null, found)
    else callback(null, first?.address ?? "", first?.family)
  }
}

async function readAnswer(message: IncomingMessage, isForm: boolean): Promise<Response> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of message) {
    size += part.length
    if (size > oauthBytes) throw new Error("The answer is too large.")
    parts.push(part)
  }
  const { statusCode: status = 502, headers } = message
  const type = headers["content-type"] ?? "application/json"
  const { location } = headers
  const text = Buffer.concat(parts).toString("utf8")
  if (status < 200 || status > 599) throw new Error("There is no such status.")
  const isEmpty = [204, 205, 304].includes(status)
  return new Response(isEmpty ? null : safeText(text, { isError: status >= 300, isForm }), {
    status,
    headers: { "content-type": type, ...(location !== undefined && { location }) },
  })
}

interface AnswerKind {
  readonly isError: boolean
  /** Forms send secrets, and get tokens. */
  readonly isForm: boolean
}

/**
 * Of an error, its code; and its description, unless a secret was sent that it could repeat. Text that can't be parsed
 * is dropped: the SDK would quote it, and it may hold a secret.
 */
function safeText(text: string, { isError, isForm }: AnswerKind): string {
  const answer = parseObject(text)
  const { error, error_description: description } = answer ?? {}
  if (!isError && (!isForm || error === undefined)) return answer ? text : "{}"
  if (typeof error !== "string" || !/^[\w.-]{1,64}$/.test(error)) return ""
  const says = isForm || typeof description !== "string" ? error : cleanText(description, 300)
  return JSON.stringify({ error, error_description: says })
}

/** Why a login failed, as the end of a sentence. */
export function oauthProblem(error: unknown, secrets: Secrets): string {
  const malformed = malformedPart(error)
  if (malformed !== null) return `an answer for the login is malformed (${malformed}).`
  const message = error instanceof Error ? secrets.hide(error.message) : ""
  return cleanSentence(message, 300) || "something unexpected happened."
}

/** The invalid part of an answer; null when something else is wrong. */
function malformedPart(error: unknown): string | null {
  if (!(error instanceof Error && "issues" in error && Array.isArray(error.issues))) return null
  const path: unknown = error.issues[0]?.path
  return cleanText(Array.isArray(path) ? path.join(".") : "", 60) || "all of it"
}
