import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  inputResponse,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { type Envelope, failure, failureFrom } from "../../../contract/index.ts"
import { askOlderClient, questionFor } from "./ask-person.ts"
import { callResult } from "./call-result.ts"
import { canAskPeople } from "./client-capabilities.ts"
import { isBusy, type McpClient } from "./mcp-client.ts"
import { type PendingCall, startPendingCall, type WantedCall } from "./pending-call.ts"
import { keepAnswer } from "./persist-answer.ts"
import { reportProgress } from "./report-progress.ts"
import { rootsState, showRoots } from "./show-roots.ts"

/** One request of `tools/call`: it starts a call, or brings the answer that a call waits for. */
export interface ToolRequest {
  readonly params: CallToolRequest["params"]
  readonly context: ServerContext
  /** What the client said it can do when it connected; newer clients say so with each request. */
  readonly declared: unknown
}

type Found =
  | { readonly kind: "started" | "answered"; readonly call: PendingCall }
  | { readonly kind: "refused"; readonly envelope: Envelope }

/** Runs a call until it has ended or a person has to be asked. */
export async function callTool(
  client: McpClient,
  request: ToolRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const roots = await showRoots(client, request)
  if (roots.kind === "ask") return roots.question
  if (roots.kind === "failed") {
    const envelope = failure(request.params.name, failureFrom(roots.error))
    return callResult(envelope, client.session)
  }
  const found = findCall(client, request)
  if (found.kind === "refused") return callResult(found.envelope, client.session)
  const { call } = found
  const stopReporting = reportProgress(client, call, request.context)
  const stopFollowing = endWithRequest(client, call, request.context)
  try {
    const ended = call.envelope.then((envelope) => callResult(envelope, client.session))
    // Nobody is asked twice about one call.
    if (found.kind === "answered") return await ended
    const asked = call.question.then(async (question) => {
      if (request.context.mcpReq.envelope) return questionFor(question, client.states)
      call.answer(await askOlderClient(question, call, request.context))
      return ended
    })
    return await Promise.race([ended, asked])
  } finally {
    stopReporting()
    stopFollowing()
  }
}

/** The call that this request is about, or why there is none. */
function findCall(client: McpClient, { params, context, declared }: ToolRequest): Found {
  const wanted: WantedCall = { tool: params.name, input: params.arguments }
  const state = context.mcpReq.requestState<string>()
  if (state === undefined || state === rootsState) {
    if (isBusy(client))
      return { kind: "refused", envelope: tooMany(wanted.tool, client.limits.calls) }
    const call = startPendingCall(client, wanted, canAskPeople(context, declared))
    return { kind: "started", call }
  }
  const call = client.questions.get(state)
  if (!call?.isOf(wanted)) return { kind: "refused", envelope: noLongerAsked(wanted.tool) }
  client.questions.delete(state)
  const response = inputResponse(context.mcpReq.inputResponses, "approval")
  const isYes = response.kind === "elicit" && response.action === "accept"
  call.answer(isYes ? "approved" : "denied")
  return { kind: "answered", call }
}

/** Who cancels a request ends its call; so does a lost connection, unless calls are to be kept. */
function endWithRequest(
  client: McpClient,
  call: PendingCall,
  { mcpReq, http }: ServerContext,
): () => void {
  let isKept = false
  const onAbort = ({ target }: Event) => {
    const { reason } = target as AbortSignal
    if (!client.settings.keepCalls || !(target === http?.req?.signal || isLostConnection(reason))) {
      call.end(reason)
    } else if (!isKept) {
      isKept = true
      keepAnswer(client, call)
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

function tooMany(tool: string, most: number): Envelope {
  return failure(tool, {
    kind: "unavailable",
    message: `This client has ${most} calls under way, which is the most. Wait until one has ended.`,
  })
}

function noLongerAsked(tool: string): Envelope {
  return failure(tool, {
    kind: "unavailable",
    message:
      "Nothing waits for this answer any more, or it is for another call. Call the tool again.",
  })
}
