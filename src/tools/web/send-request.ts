import type { Readable } from "node:stream"
import { type Agent, request } from "undici"
import { ToolFailure } from "../../contract/index.ts"
import { webLimits } from "../limits.ts"
import { redirectedRequest, type WebRequest } from "./redirected-request.ts"
import { webFailure } from "./web-failure.ts"

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
    const { statusCode: status, statusText = "" } = response
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
