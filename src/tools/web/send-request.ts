import { STATUS_CODES } from "node:http"
import type { Readable } from "node:stream"
import { Agent, buildConnector, request } from "undici"
import { ToolFailure } from "../../contract/index.ts"
import { errorCode, errorText } from "../../kit/index.ts"
import type { EgressGuard } from "../../sandbox/index.ts"
import { webLimits } from "../limits.ts"
import { redirectedRequest, type WebRequest } from "./web-request.ts"

export interface WebResponse {
  /** Where the answer came from, after all redirects. */
  readonly url: URL
  readonly status: number
  readonly statusText: string
  readonly header: (name: string) => string | undefined
  /** As it came, still compressed. */
  readonly body: Readable
  readonly redirects: readonly { readonly url: string; readonly status: number }[]
}

export interface SendOptions {
  readonly agent: Agent
  readonly signal: AbortSignal
  /** How many redirects are followed; none when absent, and an answer that asks for one is then the answer. */
  readonly redirects?: number
}

/** Sends a request and those that redirects make of it; each goes through the agent's own check. */
export async function sendRequest(first: WebRequest, options: SendOptions): Promise<WebResponse> {
  const most = options.redirects ?? 0
  const redirects: { url: string; status: number }[] = []
  for (let current = first; ; ) {
    const response = await send(current, options)
    const next =
      most === 0 ? null : redirectedRequest(current, response.status, response.header("location"))
    if (next === null) return { ...response, redirects }
    discard(response.body)
    if (redirects.length === most) throw tooMany(first.url)
    redirects.push({ url: current.url.href, status: response.status })
    current = next
  }
}

async function send({ url, method, headers, body }: WebRequest, { agent, signal }: SendOptions) {
  try {
    const response = await request(url, {
      ...{ method, headers, signal, dispatcher: agent },
      ...(body === undefined ? {} : { body }),
    })
    const header = (name: string) => {
      const value = response.headers[name]
      return Array.isArray(value) ? value.join(", ") : value
    }
    const { statusCode: status } = response
    // undici 6 leaves it out.
    const statusText = response.statusText ?? STATUS_CODES[status] ?? ""
    return { url, status, statusText, header, body: response.body }
  } catch (error) {
    signal.throwIfAborted()
    throw webFailure(error, url)
  }
}

function discard(body: Readable): void {
  body.on("error", () => {}).destroy()
}

function tooMany(url: URL): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message: `${url.origin} redirects more than ${webLimits.redirects} times.`,
    retryable: false,
  })
}

/**
 * Connections of one call, each to an address that was checked for it. The check sits here because this
 * is the only place that every request passes, also one that a redirect asks for.
 */
export function reachAgent(reach: EgressGuard, signal: AbortSignal): Agent {
  const secure = buildConnector({ timeout: 0 })
  const connect: buildConnector.connector = (options, callback) => {
    const isSecure = options.protocol === "https:"
    const port = Number(options.port) || (isSecure ? 443 : 80)
    connectTo(reach, { host: options.hostname, port, signal }).then(
      (socket) => {
        if (isSecure) secure({ ...options, httpSocket: socket }, callback)
        else callback(null, socket)
      },
      (error) => callback(error, null),
    )
  }
  return new Agent({
    connect,
    maxHeaderSize: webLimits.headerBytes,
    // The call's own deadline ends them.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

interface Target {
  readonly host: string
  readonly port: number
  readonly signal: AbortSignal
}

async function connectTo(reach: EgressGuard, { host, port, signal }: Target) {
  const connection = await reach.open(host, port, signal)
  signal.throwIfAborted()
  const name = `${host.includes(":") ? `[${host}]` : host}:${port}`
  const unreachable = (reason: string) =>
    new ToolFailure({ kind: "unavailable", message: `${name} could not be reached: ${reason}.` })
  switch (connection.kind) {
    case "open":
      return connection.socket
    case "failed":
      throw unreachable(connection.reason)
    case "denied":
      if (connection.because === "lookup") throw unreachable(connection.rule)
      throw new ToolFailure({
        kind: "rejected",
        message: `${name} may not be reached: ${connection.rule}. The section network of toolkeep.yaml says what may be.`,
      })
    default:
      return connection satisfies never
  }
}

/** What went wrong between this machine and another, as one sentence that names the other. */
export function webFailure(error: unknown, { host }: URL): ToolFailure {
  if (error instanceof ToolFailure) return error
  const code = errorCode(error) ?? ""
  const options = { cause: error }
  const unavailable = (what: string) =>
    new ToolFailure({ kind: "unavailable", message: `${host} ${what}.` }, options)
  const wrong = (what: string) =>
    new ToolFailure({ kind: "execution_error", message: `${host} ${what}.` }, options)
  switch (code) {
    case "UND_ERR_HEADERS_OVERFLOW":
      return wrong(`answers with more than ${webLimits.headerBytes} bytes of headers`)
    case "UND_ERR_SOCKET":
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_RES_CONTENT_LENGTH_MISMATCH":
      return unavailable("closed the connection before its answer was complete")
    default:
  }
  // The client asserts what it takes for granted, such as a status of at least 100.
  if (error instanceof Error && /^(HTTPParser|Assertion)Error$/.test(error.name))
    return wrong("answers with something that is not HTTP")
  if (isCompression(code)) return wrong("sends a body that is not compressed as it says")
  const reason = errorText(error)
  if (isCertificate(code)) return unavailable(`can't be trusted: ${reason}`)
  return unavailable(`did not answer: ${reason}`)
}

function isCompression(code: string): boolean {
  return /^(Z_|ERR__?ERROR_|ERR_PADDING|ERR_BROTLI|ZSTD_error|ERR_ZSTD|ERR_ZLIB)/.test(code)
}

function isCertificate(code: string): boolean {
  return /CERT|^ERR_TLS|^ERR_SSL|UNABLE_TO_/.test(code)
}
