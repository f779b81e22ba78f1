import { type CallContext, cutText, ToolFailure } from "../../contract/index.ts"
import type { EgressGuard } from "../../sandbox/index.ts"
import type { Artifacts } from "../../store/index.ts"
import { webLimits } from "../limits.ts"
import type { Convert } from "./conversion/create-converter.ts"
import type { FetchInput } from "./fetch-tool.ts"
import { reachAgent } from "./guarded-agent.ts"
import { openDeadline } from "./open-deadline.ts"
import { acceptedEncodings, readBody } from "./read-body.ts"
import type { WebRequest } from "./redirected-request.ts"
import { requestHeaders } from "./request-headers.ts"
import { sendRequest, type WebResponse } from "./send-request.ts"
import { showBody } from "./show-body.ts"
import { requireAddress } from "./web-address.ts"

export interface FetchDeps {
  readonly reach: EgressGuard
  readonly version: string
  readonly artifacts: Artifacts
  readonly openConverter: () => Promise<Convert>
  readonly context: CallContext
}

export async function fetchPage(input: FetchInput, parts: FetchDeps) {
  const { context } = parts
  const request = requestFor(input, parts.version)
  using deadline = openDeadline(input.timeout_ms, context.signal)
  const { signal } = deadline
  const agent = reachAgent(parts.reach, signal)
  try {
    const response = await sendRequest(request, { agent, signal, redirects: webLimits.redirects })
    const body = await readBody(response, { maxBytes: input.max_bytes, signal })
    const size = body.bytes.length
    const { text, ...shown } = await showBody(response, body, { ...parts, input, signal })
    const cut = cutText(text)
    return {
      kind: "page" as const,
      url: input.url,
      final_url: response.url.href,
      status: response.status,
      status_text: response.statusText,
      content_type: response.header("content-type") ?? "",
      ...shown,
      text: cut.text,
      bytes: size,
      truncated: body.truncated || cut.omittedBytes > 0,
      headers: usefulHeaders(response),
      redirects: response.redirects,
    }
  } catch (error) {
    context.signal.throwIfAborted()
    throw deadline.isOver() ? timedOut(request.url, input.timeout_ms) : error
  } finally {
    await agent.destroy()
  }
}

function requestFor(input: FetchInput, version: string): WebRequest {
  const { method, body } = input
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `A ${method} request has no body.`,
      field: "body",
      expected: 'no body, or another method such as "POST"',
    })
  }
  const headers = requestHeaders(input.headers, {
    "user-agent": `toolkeep/${version}`,
    accept: "text/html, application/xhtml+xml, */*;q=0.8",
    "accept-encoding": acceptedEncodings,
    ...(body === undefined ? {} : { "content-type": "text/plain;charset=UTF-8" }),
  })
  return { url: requireAddress(input.url), method, headers, body }
}

/** Those that say what to do next. */
const useful = [
  ...["last-modified", "etag", "content-language", "content-length", "content-disposition"],
  ...["location", "retry-after", "allow", "www-authenticate", "link", "x-ratelimit-remaining"],
]

function usefulHeaders({ header }: WebResponse): Readonly<Record<string, string>> {
  const found = useful.flatMap((name) => {
    const value = header(name)
    return value === undefined ? [] : [[name, cutText(value, webLimits.snippetCharacters).text]]
  })
  return Object.fromEntries(found)
}

function timedOut({ host }: URL, ms: number): ToolFailure {
  return new ToolFailure({
    kind: "timeout",
    message: `The page of ${host} was not there after ${ms} ms. Give it more time with timeout_ms, or read less of it with max_bytes.`,
  })
}
