import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputResponse,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server"
import {
  apiNameOf,
  type Envelope,
  failure,
  failureFrom,
  isObject,
} from "../../../contract/index.ts"
import { callResult } from "./call-result.ts"
import type { McpClient } from "./mcp-client.ts"
import { askLegacyClient, type PendingCall, questionFor, startPendingCall } from "./pending-call.ts"
import { reportProgress } from "./report-progress.ts"
import { rootsState, showRoots } from "./show-roots.ts"

/** One request of `tools/call`: it starts a call, or brings the answer that a call waits for. */
export interface ToolRequest {
  readonly params: CallToolRequest["params"]
  readonly context: ServerContext
  /** The capabilities that a legacy client declared when it connected; modern ones do with each request. */
  readonly declared: unknown
}

type Found =
  | { readonly kind: "started" | "answered"; readonly call: PendingCall }
  | { readonly kind: "refused"; readonly message: string }

/** Runs a call until it has ended or a person has to be asked. */
export async function callTool(
  client: McpClient,
  request: ToolRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const { params, context } = request
  const capabilities = capabilitiesOf(request)
  const roots = await showRoots(client, context, isObject(capabilities.roots))
  if (roots.kind === "ask") return roots.question
  if (roots.kind === "failed") {
    return callResult(failure(params.name, failureFrom(roots.error)), client)
  }
  const found = findCall(client, request, canAskPeople(capabilities))
  if (found.kind === "refused") {
    const { message } = found
    return callResult(failure(params.name, { kind: "unavailable", message }), client)
  }
  const { call } = found
  const stopReporting = reportProgress(client, call, context)
  const stopFollowing = endWithRequest(client, call, context)
  try {
    const ended = call.envelope.then((envelope: Envelope) => callResult(envelope, client))
    // Nobody is asked twice about one call.
    if (found.kind === "answered") return await ended
    const asked = call.question.then(async (question) => {
      if (context.mcpReq.envelope) return questionFor(question, client)
      call.answer(await askLegacyClient(question, call, context))
      return ended
    })
    return await Promise.race([ended, asked])
  } finally {
    stopReporting()
    stopFollowing()
  }
}

function capabilitiesOf({ context, declared }: ToolRequest): Record<string, unknown> {
  const envelope: unknown = context.mcpReq.envelope
  const capabilities = isObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : declared
  return isObject(capabilities) ? capabilities : {}
}

/** Whether the client can show a form to a person. */
function canAskPeople({ elicitation }: Record<string, unknown>): boolean {
  if (!isObject(elicitation)) return false
  // Before there were modes, an empty object meant forms.
  return Object.keys(elicitation).length === 0 || isObject(elicitation.form)
}

/** The call that this request is about, or why there is none. */
function findCall(client: McpClient, { params, context }: ToolRequest, canAsk: boolean): Found {
  const request = { tool: params.name, input: params.arguments }
  const state = context.mcpReq.requestState<string>()
  if (state === undefined || state === rootsState) {
    const most = client.limits.calls
    if (client.calls.size < most) {
      return { kind: "started", call: startPendingCall(client, request, canAsk) }
    }
    const message = `This client has reached its limit of ${most} running calls. Wait until one has ended.`
    return { kind: "refused", message }
  }
  const call = client.questions.get(state)
  if (!call?.isFor(request)) {
    const message =
      "Nothing waits for this answer any more, or it is for another call. Call the tool again."
    return { kind: "refused", message }
  }
  client.questions.delete(state)
  const response = inputResponse(context.mcpReq.inputResponses, "approval")
  const isYes = response.kind === "elicit" && response.action === "accept"
  call.answer(isYes ? "approved" : "denied")
  return { kind: "answered", call }
}

/** A cancelled request ends its call; so does a lost connection, unless answers are stored. */
function endWithRequest(
  client: McpClient,
  call: PendingCall,
  { mcpReq, http }: ServerContext,
): () => void {
  let isPersisted = false
  const onAbort = ({ target }: Event) => {
    const { reason } = target as AbortSignal
    const isLost = target === http?.req?.signal || isLostConnection(reason)
    if (!client.options.persistAnswers || !isLost) {
      call.end(reason)
    } else if (!isPersisted) {
      isPersisted = true
      const persisted = persistAnswer(client, call)
      client.persisting.add(persisted)
      // On a full disk the answer is not stored, and nobody here can be notified.
      persisted.catch(() => {}).finally(() => client.persisting.delete(persisted))
    }
  }
  const signals = [mcpReq.signal, ...(http?.req ? [http.req.signal] : [])]
  for (const signal of signals) signal.addEventListener("abort", onAbort, { once: true })
  return () => {
    for (const signal of signals) signal.removeEventListener("abort", onAbort)
  }
}

function isLostConnection(reason: unknown): boolean {
  return reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed
}

/** The answer of a call that nobody listens to becomes an artifact, which the next connection lists. */
async function persistAnswer(client: McpClient, call: PendingCall): Promise<void> {
  const { persistedIds, limits, session } = client
  const envelope = await call.envelope
  const { id } = await session.artifacts.keep({
    filename: `${apiNameOf(call.tool).slice(0, 64)}-${call.id}.json`,
    mimeType: "application/json",
    content: new TextEncoder().encode(JSON.stringify(envelope)),
  })
  persistedIds.push(id)
  const oldest = persistedIds.splice(0, persistedIds.length - limits.keptAnswers)
  await Promise.all(oldest.map((old) => session.artifacts.remove(old)))
}
