import { randomBytes } from "node:crypto"
import { createRequestStateCodec, type RequestStateCodec } from "@modelcontextprotocol/server"
import { limits, type McpTool, ToolFailure } from "../../../contract/index.ts"
import type { Caller } from "../../../policy/index.ts"
import type { AnswerForm, Approver } from "../../../runtime/index.ts"
import type { Session } from "../../../session/index.ts"
import { serverLimits } from "../../limits.ts"
import type { PendingCall } from "./pending-call.ts"
import { type RecordedRequests, recordedRequests } from "./recorded-requests.ts"

type Numbers<Value> = Value extends number
  ? number
  : { readonly [Name in keyof Value]: Numbers<Value[Name]> }

/** What a server grants its clients. */
export type McpLimits = Numbers<typeof serverLimits>

/** The defaults, except those that are given. */
export function mcpLimits(changed: Partial<McpLimits> = {}): McpLimits {
  return { ...serverLimits, ...changed }
}

/** What a result of `tools/call` holds beside files: a text, the envelope as structured content, or both. */
export type ResultForm = AnswerForm["form"]

/** Options that all clients of one server share. */
export interface ClientOptions extends Caller {
  /**
   * "text" when absent: clients such as Claude Code show a model nothing but the structured content where there is
   * one, and so neither the text nor images.
   */
  readonly results?: ResultForm | undefined
  /** Sandbox for calls that do not name one; "default" when absent. */
  readonly sandbox?: string | undefined
  /** Mounts the client's roots in that sandbox, read-only or writable. */
  readonly mountRoots?: "read" | "write" | undefined
  /** Calls continue when their connection is lost, and their answers are found again in the record. */
  readonly persistAnswers?: boolean | undefined
  /** Asks a person beside the client itself, or in its place where it can't: the first answer counts. */
  readonly approve?: Approver | undefined
  /** Other limits than the defaults. */
  readonly limits?: Partial<McpLimits> | undefined
}

/** One client of the server, with a session and so with sandboxes of its own. */
export interface McpClient {
  readonly session: Session
  readonly options: ClientOptions
  readonly limits: McpLimits
  /** Running calls, by id. */
  readonly calls: Map<string, PendingCall>
  /** Calls that wait for an answer of the client's, by the state that the client sends back with it. */
  readonly questions: Map<string, PendingCall>
  /** Seals that state: only what this client was given is accepted. */
  readonly states: RequestStateCodec<string>
  /** Its requests and answers in the record; null where a lost connection ends a call. */
  readonly requests: RecordedRequests | null
  /** Resolves when the client's roots are mounted; null until it was asked for them. */
  roots: Promise<void> | null
  readonly results: ResultForm
  readonly answerForm: AnswerForm
  readonly tools: () => readonly McpTool[]
}

export function createMcpClient(session: Session, options: ClientOptions): McpClient {
  const { agent, provider, results = "text", persistAnswers } = options
  const changed = mcpLimits(options.limits)
  // Longer than anybody may take to answer, so that a late answer differs from a forged one.
  const ttlSeconds = (2 * limits.approvalMs) / 1000
  return {
    session,
    options,
    limits: changed,
    calls: new Map(),
    questions: new Map(),
    states: createRequestStateCodec({ key: randomBytes(32), ttlSeconds }),
    requests: persistAnswers ? recordedRequests(session, changed.keptAnswers) : null,
    roots: null,
    results,
    answerForm: { form: results, ...(session.dialect !== null && { dialect: session.dialect }) },
    tools: () => session.tools({ agent, provider, for: "mcp" }),
  }
}

/** Resolves when its calls have ended. */
export async function settled(client: McpClient): Promise<void> {
  await Promise.all([...client.calls.values()].map((call) => call.envelope))
}

/** Ends all running calls, which answer with this message. */
export function endCalls(client: McpClient, message: string): void {
  const reason = new ToolFailure({ kind: "unavailable", message })
  for (const call of client.calls.values()) call.end(reason)
}
