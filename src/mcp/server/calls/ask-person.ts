import {
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { limits } from "../../../contract/index.ts"
import type { ApprovalAnswer } from "../../../runtime/index.ts"
import type { PendingCall, Question } from "./pending-call.ts"
import type { RequestStates } from "./request-states.ts"

/** For a client of the newer generation: the question is the answer, and the client calls again. */
export async function questionFor(
  { state, message }: Question,
  states: RequestStates,
): Promise<InputRequiredResult> {
  const approval = inputRequired.elicit({ message, requestedSchema })
  return inputRequired({ inputRequests: { approval }, requestState: await states.mint(state) })
}

/**
 * Asks an older client while its request waits; it is told when the call ends without an answer, so that
 * nobody is left with a question that decides nothing.
 */
export async function askOlderClient(
  { message }: Question,
  call: PendingCall,
  { mcpReq }: ServerContext,
): Promise<ApprovalAnswer["kind"]> {
  const ended = new AbortController()
  void call.envelope.then(() => ended.abort("The call has ended."))
  const params = { message, requestedSchema }
  // Whoever asks for the approval ends the call when it expires; this is only never earlier.
  const options = { signal: ended.signal, timeout: limits.approvalMs + limits.mcp.keepAliveMs }
  try {
    const { action } = await mcpReq.send({ method: "elicitation/create", params }, options)
    return action === "accept" ? "approved" : "denied"
  } catch {
    return "unreachable"
  }
}

const requestedSchema = { type: "object", properties: {} } as const
