import {
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { limits } from "../../contract/index.ts"
import type { ApprovalAnswer } from "../../runtime/index.ts"
import type { PendingCall, Question } from "./pending-call.ts"
import type { RequestStates } from "./request-states.ts"

/** For a client of the newer generation: the question is the answer, and the client calls again. */
export async function questionFor(
  { state, request }: Question,
  states: RequestStates,
): Promise<InputRequiredResult> {
  const approval = inputRequired.elicit({ message: textOf(request), requestedSchema })
  return inputRequired({ inputRequests: { approval }, requestState: await states.mint(state) })
}

/**
 * Asks an older client while its request waits; it is told when the call ends without an answer, so that
 * nobody is left with a question that decides nothing.
 */
export async function askOlderClient(
  { request }: Question,
  call: PendingCall,
  { mcpReq }: ServerContext,
): Promise<ApprovalAnswer["kind"]> {
  const ended = new AbortController()
  void call.envelope.then(() => ended.abort("The call has ended."))
  const params = { message: textOf(request), requestedSchema }
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

function textOf({ prompt, title, tool, sandbox, input }: Question["request"]): string {
  const where = sandbox === null ? "" : ` in the sandbox "${sandbox}"`
  const text = `${prompt}\n\n${title} (${tool})${where}:\n${JSON.stringify(input, null, 2)}`
  return text.slice(0, limits.textBytes)
}
