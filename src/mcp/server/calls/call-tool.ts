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
import { type Envelope, failure, failureFrom, isObject } from "../../../contract/index.ts"
import { onAbort } from "../../../kit/index.ts"
import { callResult } from "./call-result.ts"
import type { McpClient } from "./mcp-client.ts"
import {
  askLegacyClient,
  type CallRequest,
  isSameRequest,
  type PendingCall,
  type PendingOptions,
  questionFor,
  startPendingCall,
} from "./pending-call.ts"
import type { Origin } from "./recorded-requests.ts"
import { reportProgress } from "./report-progress.ts"
import { rootsState, showRoots } from "./show-roots.ts"

/** One request of `tools/call`: it starts a call, or brings the answer that a call waits for. */
export interface ToolRequest {
  readonly params: CallToolRequest["params"]
  readonly context: ServerContext
  /** The capabilities that a legacy client declared when it connected; modern ones do with each request. */
  readonly declared: unknown
  /** The connection of a legacy client that can come back to it. */
  readonly connection?: string | undefined
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
  const found = await findCall(client, request, canAskPeople(capabilities))
  if (found.kind === "refused") {
    const { message } = found
    return callResult(failure(params.name, { kind: "unavailable", message }), client)
  }
  const { call } = found
  const stopReporting = reportProgress(client, call, context)
  const stopFollowing = endWithRequest(client, call, request)
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
async function findCall(client: McpClient, asked: ToolRequest, canAsk: boolean): Promise<Found> {
  const { params, context } = asked
  const request = { tool: params.name, input: params.arguments }
  const state = context.mcpReq.requestState<string>()
  if (state === undefined || state === rootsState) {
    const origin = originOf(client, asked)
    const repeated = origin ? await findRepeated(client, request, { origin, canAsk }) : null
    if (repeated) return { kind: "started", call: repeated }
    const most = client.limits.calls
    if (client.calls.size < most) {
      const call = startPendingCall(client, request, { canAsk, origin })
      // The ids of modern clients may come again with other requests.
      if (origin?.connection !== undefined) await client.requests?.add(origin, call.id)
      return { kind: "started", call }
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

/** What a request is found by when it is repeated. On lines, nobody comes back to a connection. */
function originOf(client: McpClient, asked: ToolRequest): Origin | undefined {
  const { context, connection, params } = asked
  if (!client.requests || !context.http) return undefined
  const said = { tool: params.name, input: params.arguments }
  return { id: context.mcpReq.id, connection, ...(client.session.dialect !== null && { said }) }
}

/**
 * The call that the client makes again because its connection was lost: it may still run, or be answered from the
 * record. Null for a new one, and for one that has done nothing, which is run again.
 */
async function findRepeated(
  client: McpClient,
  request: CallRequest,
  options: PendingOptions & { readonly origin: Origin },
): Promise<PendingCall | null> {
  const call = await client.requests?.take(options.origin)
  if (call === undefined) return null
  const running = client.calls.get(call)
  if (running) return running.isFor(request) ? running : null
  const { envelope, request: earlier } = (await client.requests?.read(call)) ?? {}
  if (!envelope || !earlier || !isSameRequest(earlier, request)) return null
  return startPendingCall(client, request, { ...options, known: { call, envelope } })
}

/**
 * A cancelled request ends its call; so does a lost connection, unless answers are stored. Then the client may make
 * the request again, also where the answer was under way already.
 */
function endWithRequest(client: McpClient, call: PendingCall, request: ToolRequest): () => void {
  const { mcpReq, http } = request.context
  const origin = originOf(client, request)
  const follow = (signal: AbortSignal | undefined) =>
    onAbort(signal, () => {
      const isLost = signal === http?.req?.signal || isLostConnection(signal?.reason)
      if (!client.requests || !isLost) call.end(signal?.reason)
      else if (origin) client.requests.add(origin, call.id).catch(() => {})
    })
  // Each may have been aborted while the call was found or started.
  const stopFollowing = follow(mcpReq.signal)
  const stopWatching = follow(http?.req?.signal)
  return () => {
    stopFollowing()
    if (!client.requests) stopWatching()
  }
}

function isLostConnection(reason: unknown): boolean {
  return reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed
}
