import { type CallContext, cutText, ToolFailure } from "../../contract/index.ts"
import { createDeadline, trimEndOf } from "../../kit/index.ts"
import type { EgressGuard } from "../../sandbox/index.ts"
import type { Artifacts } from "../../store/index.ts"
import { invalidArgument } from "../arguments.ts"
import { artifactResult } from "../artifact-result.ts"
import { webLimits } from "../limits.ts"
import type { SessionWork, WorkKind } from "../work/session-work.ts"
import type { Conversion, ConversionJob } from "./conversion/conversion-worker.ts"
import type { FetchInput, FetchResult } from "./fetch-tool.ts"
import { classifyContent, decodeText, parseContentType } from "./page-content.ts"
import { acceptedEncodings, type Body, readBody } from "./read-body.ts"
import { reachAgent, sendRequest, type WebResponse } from "./send-request.ts"
import { requestHeaders, requireAddress, type WebRequest } from "./web-request.ts"

export interface FetchDeps {
  readonly reach: EgressGuard
  readonly version: string
  readonly artifacts: Artifacts
  readonly work: Pick<SessionWork, "ask">
  readonly context: CallContext
  readonly textBytes: number
}

export async function fetchPage(input: FetchInput, parts: FetchDeps): Promise<FetchResult> {
  const { context } = parts
  const request = requestFor(input, parts.version)
  using deadline = createDeadline(input.timeout_ms, context)
  const { signal } = deadline
  const agent = reachAgent(parts.reach, signal)
  try {
    const response = await sendRequest(request, { agent, signal, redirects: webLimits.redirects })
    const body = await readBody(response, { maxBytes: input.max_bytes, signal })
    const size = body.bytes.length
    const { text, ...shown } = await showBody(response, body, { ...parts, input, signal })
    return {
      kind: "page",
      url: input.url,
      final_url: response.url.href,
      status: response.status,
      status_text: response.statusText,
      content_type: response.header("content-type") ?? "",
      ...shown,
      // Whole: the runtime cuts it to size, once, and says how much it left out.
      text,
      bytes: size,
      truncated: body.truncated || cutText(text).omittedBytes > 0,
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
    throw invalidArgument(
      "body",
      `A ${method} request has no body.`,
      'no body, or another method such as "POST"',
    )
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

type ShownBody = Pick<FetchResult, "format" | "text" | "title" | "page_count" | "artifact">

interface ShowDeps extends FetchDeps {
  readonly input: FetchInput
  readonly signal: AbortSignal
}

/** Pages become text in a process of their own: a hostile one must hold nothing up but itself. */
const conversionWork: WorkKind<ConversionJob, Conversion> = {
  file: new URL("./conversion/conversion-worker.ts", import.meta.url),
  memoryBytes: webLimits.conversionBytes,
}

/** A body as a model can read it; what it can't read becomes a file for the person. */
async function showBody(response: WebResponse, body: Body, parts: ShowDeps): Promise<ShownBody> {
  const { input, signal } = parts
  const { bytes } = body
  const type = parseContentType(response.header("content-type"))
  const wanted = input.format
  if (bytes.length === 0) return { format: "raw", text: "" }
  const convert = async (job: ConversionJob) => {
    const converted = await parts.work
      .ask(conversionWork, job, { bytes, signal })
      .catch((error) => {
        signal.throwIfAborted()
        throw error instanceof ToolFailure ? unreadable(error) : error
      })
    return shownConversion(converted.value, parts)
  }
  switch (classifyContent(type, bytes)) {
    case "html":
      if (wanted === "raw") return shownText(bytes, type.charset, parts)
      return convert({
        ...{ kind: "html", charset: type.charset, url: response.url.href, format: wanted },
      })
    case "text":
      return shownText(bytes, type.charset, parts)
    case "pdf":
      if (wanted === "raw" || body.truncated) return kept(response, body, parts)
      return convert({ kind: "pdf" })
    case "binary":
      return kept(response, body, parts)
  }
}

function shownConversion(conversion: Conversion, { context }: ShowDeps): ShownBody {
  const { title, text, format, pages, notes } = conversion
  for (const note of notes) context.warn(note)
  return {
    ...(title === "" ? {} : { title: title.slice(0, webLimits.snippetCharacters) }),
    ...(pages === undefined ? {} : { page_count: pages }),
    ...{ format, text },
  }
}

function shownText(bytes: Uint8Array, charset: string | null, { context }: ShowDeps): ShownBody {
  const { text, notes } = decodeText(bytes, charset)
  for (const note of notes) context.warn(note)
  return { format: "raw", text }
}

async function kept(response: WebResponse, body: Body, parts: ShowDeps): Promise<ShownBody> {
  const { context, artifacts, signal } = parts
  if (body.truncated) {
    context.warn(
      `The file has more than ${body.bytes.length} bytes and is not kept; ask for all of it with max_bytes.`,
    )
    return { format: "binary", text: "" }
  }
  signal.throwIfAborted()
  const { mimeType } = parseContentType(response.header("content-type"))
  const artifact = await artifacts.keep({
    filename: filenameOf(response),
    mimeType: /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "application/octet-stream",
    content: body.bytes,
  })
  return { format: "binary", text: "", artifact: artifactResult(artifact) }
}

/** A plain name from what the server calls the file, or from its address. */
function filenameOf({ header, url }: Pick<WebResponse, "header" | "url">): string {
  const disposition = header("content-disposition") ?? ""
  const named = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition)
  const given = named?.[1] ?? named?.[2] ?? url.pathname
  const last = given.split(/[/\\]/).filter(Boolean).at(-1) ?? ""
  const plain = last
    .replace(/%[0-9a-f]{2}/gi, "_")
    .replace(/[^\p{L}\p{N}._-]+/gu, "_")
    .replace(/^\.+/, "")
  // From the end, where the extension is.
  return plain.slice(-webLimits.filenameCharacters).replace(/^\.+/, "") || "download"
}

function unreadable(failure: ToolFailure): ToolFailure {
  const reason = trimEndOf(failure.message, ". \n").slice(0, 200)
  return new ToolFailure(
    {
      kind: "execution_error",
      message: `The page can't be read: ${reason}. Ask for less with max_bytes, or for its source with format "raw".`,
      retryable: false,
    },
    { cause: failure },
  )
}
