import { randomUUID } from "node:crypto"
import {
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server"
import type { Envelope } from "../../../contract/index.ts"
import { limits } from "../../../contract/index.ts"
import { canonicalJson, createId, groupDigits } from "../../../kit/index.ts"
import {
  type ApprovalRequest,
  type Approver,
  askEveryone,
  describeBriefly,
} from "../../../runtime/index.ts"
import type { Artifacts } from "../../../store/index.ts"
import { serverLimits } from "../../limits.ts"
import type { McpClient } from "./mcp-client.ts"
import type { Origin } from "./recorded-requests.ts"
import { artifactLink } from "./resources.ts"

/** A question that the client has to bring to a person. */
export interface Question {
  /** Sent back with the answer, sealed: it stands for this call and no other. */
  readonly state: string
  /** What the person is shown. */
  readonly message: string
}

/** A running call, which may take more than one request of the client's. */
export interface PendingCall {
  readonly id: string
  readonly tool: string
  readonly envelope: Promise<Envelope>
  /** Resolves when a person has to be asked, if ever. */
  readonly question: Promise<Question>
  readonly answer: (answer: PlainAnswer) => void
  /** Ends the work in the sandbox. */
  readonly end: (reason: unknown) => void
  readonly hasEnded: () => boolean
  /** Whether a later request repeats exactly this one. */
  readonly isFor: (request: CallRequest) => boolean
}

export interface CallRequest {
  readonly tool: string
  readonly input: unknown
}

/** A client's person says yes or no, or does not answer. */
type PlainAnswer = "approved" | "denied" | "unreachable"

export interface PendingOptions {
  /** Whether the client can ask a person. */
  readonly canAsk: boolean
  /** Recorded with the call. */
  readonly origin?: Origin | undefined
  /** The call that has ended before, and its answer. */
  readonly known?: { readonly call: string; readonly envelope: Envelope } | undefined
}

/** Starts a call of a client, which can be found until it has ended. */
export function startPendingCall(
  client: McpClient,
  { tool, input }: CallRequest,
  { canAsk, origin, known }: PendingOptions,
): PendingCall {
  const { calls, questions } = client
  const id = known?.call ?? createId("call")
  const asked = Promise.withResolvers<Question>()
  const answered = Promise.withResolvers<PlainAnswer>()
  let state = ""
  let hasEnded = false
  let removeMessage = async () => {}

  const approve: Approver = async (request) => {
    if (!canAsk) return { kind: "unreachable", remedy: unable }
    const message = await questionMessage(request, client.session.artifacts).catch(() => null)
    if (message === null) return { kind: "unreachable", remedy: notStored }
    removeMessage = message.remove
    if (hasEnded) void removeMessage().catch(() => {})
    state = randomUUID()
    questions.set(state, call)
    asked.resolve({ state, message: message.text })
    const kind = await answered.promise
    if (kind === "approved") return { kind, fingerprint: request.fingerprint }
    return kind === "denied" ? { kind } : { kind, remedy: unwilling }
  }
  const { agent, provider, sandbox } = client.options
  const running = client.session.start(tool, input, {
    ...{ id, agent, provider, sandbox, origin, known: known?.envelope },
    answerForm: client.answerForm,
    approve: askEveryone([approve, client.options.approve]),
  })
  const call: PendingCall = {
    id,
    tool,
    envelope: running.envelope,
    question: asked.promise,
    answer: answered.resolve,
    end: running.cancel,
    hasEnded: () => hasEnded,
    isFor: (other) => isSameRequest(other, { tool, input }),
  }
  calls.set(id, call)
  void running.envelope.then(() => {
    hasEnded = true
    calls.delete(id)
    forgetQuestion(client, state)
    removeMessage().catch(() => {})
  })
  return call
}

/**
 * A question that somebody else has answered: a modern client still comes back with its own answer, and gets the
 * envelope. The oldest of these make way.
 */
function forgetQuestion({ questions, options, limits: held }: McpClient, state: string): void {
  if (!options.approve) questions.delete(state)
  const ended = [...questions].filter(([, { hasEnded }]) => hasEnded())
  for (const [old] of ended.slice(0, Math.max(0, ended.length - held.calls))) questions.delete(old)
}

export function isSameRequest(one: CallRequest, other: CallRequest): boolean {
  return (
    one.tool === other.tool && canonicalJson(one.input ?? {}) === canonicalJson(other.input ?? {})
  )
}

const remedy = "Use one that can, or allow the call in toolkeep.yaml."
const unable = `this client can't ask a person (it has no elicitation). ${remedy}`
const notStored =
  "the whole question, which is too long for a message, could not be stored. Make room, or call it with less."
const unwilling = `this client did not show the question to a person. ${remedy}`

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
): Promise<PlainAnswer> {
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
interface QuestionMessage {
  readonly text: string
  readonly remove: () => Promise<void>
}

/** The whole question where it fits into a message; otherwise a part, and where to find the whole as an artifact. */
async function questionMessage(
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
