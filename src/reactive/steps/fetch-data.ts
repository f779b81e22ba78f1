import { type FailureKind, ToolFailure } from "../../contract/index.ts"
import type { Async, Input } from "../graph/types.ts"
import { labelOf, parseData, resultOf } from "./call-session.ts"
import { addStep, type Instance } from "./instance.ts"
import type { RunControl } from "./runs.ts"
import type { StepKind } from "./wanted.ts"

export interface FetchParams {
  readonly url: string
  /** "json" when absent. */
  readonly mode?: "json" | "text" | undefined
  readonly when?: boolean | undefined
}

/** What an address answers, as JSON or as text. A status from 400 on is an error. */
// biome-ignore lint/suspicious/noExplicitAny: nobody knows what a server answers, as with JSON.parse.
export function fetchData<T = any>(params: Input<FetchParams & { result?: T }>): Async<T> {
  return addStep("fetchData", params, fetchKind)
}

function fetchKind({ session }: Instance): StepKind<FetchParams> {
  return {
    name: "fetchData",
    required: ["url"],
    optional: ["mode"],
    isShared: true,
    label: ({ url }) => labelOf(String(url)),
    run: (params, control) => fetchBody(session, params, control),
  }
}

async function fetchBody(
  session: Instance["session"],
  { url, mode = "json" }: FetchParams,
  { signal }: RunControl,
): Promise<unknown> {
  const input = { url, format: "raw" } as const
  const page = await resultOf(session.call("web.fetch", input, { signal }))
  if (page.status >= 400) {
    const kind = kindsOfStatus[page.status] ?? (page.status >= 500 ? "unavailable" : undefined)
    throw failed(kind ?? "execution_error", `${page.status} ${page.status_text}`.trimEnd())
  }
  if (page.artifact) throw failed("execution_error", `It answers ${page.content_type}, not text.`)
  if (page.truncated) {
    throw failed(
      "execution_error",
      `It answers ${page.bytes} bytes or more, which is longer than the answer of a call may be: raise limits in toolkeep.yaml.`,
    )
  }
  if (mode === "text") return page.text
  return parseData(page.text, `It answers ${page.content_type} that`)
}

const kindsOfStatus: Readonly<Record<number, FailureKind>> = {
  401: "rejected",
  403: "rejected",
  404: "not_found",
  408: "timeout",
  410: "not_found",
  429: "unavailable",
}

function failed(kind: FailureKind, message: string): ToolFailure {
  return new ToolFailure({ kind, message })
}
