import {
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { limits } from "../../../contract/index.ts"
import { groupDigits } from "../../../kit/index.ts"
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  describeBriefly,
} from "../../../runtime/index.ts"
import type { Artifacts } from "../../../store/index.ts"
import { serverLimits } from "../../limits.ts"
import { artifactLink } from "./artifact-resources.ts"
import type { McpClient } from "./mcp-client.ts"
import type { PendingCall, Question } from "./pending-call.ts"

const requestedSchema = { type: "object", properties: {} } as const

/** For a modern client: the question is the answer, and the client calls again. */
export async function questionFor(
  { state, message }: Question,
  { states }: McpClient,
): Promise<InputRequiredResult> {
  const approval = inputRequired.elicit({ message, requestedSchema })
  return inputRequired({ inputRequests: { approval }, requestState: await states.mint(state) })
}

/** Asks a legacy client while its request waits, and cancels the question when the call ends without an answer. */
export async function askLegacyClient(
  { message }: Question,
  call: PendingCall,
  { mcpReq }: ServerContext,
): Promise<ApprovalAnswer["kind"]> {
  const ended = new AbortController()
  void call.envelope.then(() => ended.abort("The call has ended."))
  const params = { message, requestedSchema }
  // The runtime ends the call when the approval expires; this timeout is only never earlier.
  const options = { signal: ended.signal, timeout: limits.approvalMs + serverLimits.keepAliveMs }
  try {
    const { action } = await mcpReq.send({ method: "elicitation/create", params }, options)
    return action === "accept" ? "approved" : "denied"
  } catch {
    return "unreachable"
  }
}

/** What a person is shown of a question, until the call has ended. */
export interface QuestionMessage {
  readonly text: string
  readonly remove: () => Promise<void>
}

/** The whole question where it fits into a message; otherwise a part, and where to find the whole as an artifact. */
export async function questionMessage(
  request: ApprovalRequest,
  artifacts: Artifacts,
): Promise<QuestionMessage> {
  const { question, callId } = request
  if (question.length <= limits.question.messageCharacters) {
    return { text: question, remove: async () => {} }
  }
  const artifact = await artifacts.keep({
    filename: `question-${callId}.txt`,
    mimeType: "text/plain",
    content: new TextEncoder().encode(question),
  })
  const { uri } = artifactLink(artifact)
  const size = `${groupDigits(question.length)} characters`
  const where = `This is a part. The whole question, ${size}, is the resource ${uri} and the file ${artifact.path}`
  return { text: describeBriefly(request, where), remove: () => artifacts.remove(artifact.id) }
}
