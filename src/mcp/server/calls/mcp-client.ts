import { apiNameOf, type ToolDescription, ToolFailure } from "../../../contract/index.ts"
import type { DialectSession } from "../../../dialects/index.ts"
import type { Asker, CallOptions, Session } from "../../../session/index.ts"
import type { ApprovalDesk } from "./approval-desk.ts"
import { type McpLimits, mcpLimits } from "./mcp-limits.ts"
import type { PendingCall } from "./pending-call.ts"
import { createRequestStates, type RequestStates } from "./request-states.ts"

/** What all clients of one server have in common. */
export interface ClientSettings extends Asker {
  readonly desk: ApprovalDesk
  /** Puts a client's session into another vocabulary. */
  readonly speak?: ((session: Session) => DialectSession<CallOptions>) | undefined
  /** The sandbox that calls run in when they name none. */
  readonly sandbox?: string | undefined
  /** The client's roots are shown in that sandbox, to be read or also to be changed. */
  readonly mountRoots?: "read" | "write" | undefined
  /** Calls go on when their connection is lost, and what they answered is kept as an artifact. */
  readonly keepCalls?: boolean | undefined
  /** Other numbers than the usual ones. */
  readonly limits?: Partial<McpLimits> | undefined
}

/** One client of the server, with a session and so with sandboxes of its own. */
export interface McpClient {
  readonly session: Session
  readonly settings: ClientSettings
  readonly limits: McpLimits
  /** Calls under way, by id. */
  readonly calls: Map<string, PendingCall>
  /** Of them, those that wait for an answer of the client's, by what it has to give back with it. */
  readonly questions: Map<string, PendingCall>
  readonly states: RequestStates
  /** Answers that are being kept because nobody listens any more. */
  readonly keeping: Set<Promise<void>>
  /** The ids of those that were kept, the oldest first. */
  readonly kept: string[]
  /** Resolves when the client's roots are shown; null until it was asked for them. */
  roots: Promise<void> | null
  /** What the client sees and calls: the session's tools, or those of another vocabulary. */
  readonly tools: () => readonly ToolDescription[]
  readonly start: Session["start"]
}

export function createMcpClient(session: Session, settings: ClientSettings): McpClient {
  const { agent, provider } = settings
  const dialect = settings.speak?.(session)
  const tools = () => (dialect ?? session).tools({ agent, provider })
  /** By the name that clients know; a session finds its tools by both. */
  const start: Session["start"] = (wanted, input, options) => {
    if (!dialect) return session.start(wanted, input, options)
    const tool = tools().find(({ name }) => apiNameOf(name) === wanted)
    return dialect.start(tool?.name ?? wanted, input, options)
  }
  return {
    session,
    settings,
    limits: mcpLimits(settings.limits),
    calls: new Map(),
    questions: new Map(),
    states: createRequestStates(),
    keeping: new Set(),
    kept: [],
    roots: null,
    tools,
    start,
  }
}

export function isBusy(client: McpClient): boolean {
  return client.calls.size >= client.limits.calls
}

/** Resolves when its calls have ended and what should be kept of them is kept. */
export async function settled(client: McpClient): Promise<void> {
  await Promise.all([...client.calls.values()].map((call) => call.envelope))
  await Promise.allSettled(client.keeping)
}

export const serverStops =
  "The server was stopped before the call was done. Call again when it is back."

/** Ends the work of all its calls, which answer with this. */
export function endCalls(client: McpClient, message: string): void {
  const reason = new ToolFailure({ kind: "unavailable", message })
  for (const call of client.calls.values()) call.end(reason)
}
