import { randomUUID } from "node:crypto"
import type { Envelope } from "../../../contract/index.ts"
import { canonicalJson, createId } from "../../../kit/index.ts"
import type { ApprovalAnswer, ApprovalRequest } from "../../../runtime/index.ts"
import type { McpClient } from "./mcp-client.ts"
import { questionMessage } from "./question-message.ts"

/** A question that the client has to bring to a person. */
export interface Question {
  /** Given back with the answer, sealed: it stands for this call and no other. */
  readonly state: string
  /** What the person is shown. */
  readonly message: string
}

/** A call under way, which may take more than one request of the client's. */
export interface PendingCall {
  readonly id: string
  readonly tool: string
  readonly envelope: Promise<Envelope>
  /** Resolves when a person has to be asked; never when nobody has to be. */
  readonly question: Promise<Question>
  readonly answer: (answer: ApprovalAnswer["kind"]) => void
  /** Ends the work in the sandbox. */
  readonly end: (reason: unknown) => void
  /** Whether a later request repeats exactly this one. */
  readonly isOf: (wanted: WantedCall) => boolean
}

export interface WantedCall {
  readonly tool: string
  readonly input: unknown
}

/** Starts a call of a client, and keeps it findable until it has ended. */
export function startPendingCall(
  client: McpClient,
  { tool, input }: WantedCall,
  canAsk: boolean,
): PendingCall {
  const { settings, calls, questions } = client
  const id = createId("call")
  const asked = Promise.withResolvers<Question>()
  const answered = Promise.withResolvers<ApprovalAnswer["kind"]>()
  let state = ""
  let hasEnded = false
  let forgetQuestion = async () => {}

  const stopExpecting = settings.desk.expect(id, async (request) => {
    if (!canAsk) return { kind: "unreachable", remedy: unable }
    const message = await questionMessage(request, client.session.artifacts).catch(() => null)
    if (message === null) return { kind: "unreachable", remedy: unkept }
    forgetQuestion = message.forget
    if (hasEnded) void forgetQuestion().catch(() => {})
    state = randomUUID()
    questions.set(state, call)
    asked.resolve({ state, message: message.text })
    return read(await answered.promise, request)
  })
  const { agent, provider, sandbox } = settings
  const running = client.start(tool, input, { id, agent, provider, sandbox })
  const call: PendingCall = {
    id,
    tool,
    envelope: running.envelope,
    question: asked.promise,
    answer: answered.resolve,
    end: running.cancel,
    isOf: (other) =>
      other.tool === tool && canonicalJson(other.input ?? {}) === canonicalJson(input ?? {}),
  }
  calls.set(id, call)
  void running.envelope.then(() => {
    hasEnded = true
    stopExpecting()
    calls.delete(id)
    questions.delete(state)
    forgetQuestion().catch(() => {})
  })
  return call
}

const remedy = "Use one that can, or allow the call in toolkeep.yaml."
const unable = `this client can't ask a person (it has no elicitation). ${remedy}`
const unkept =
  "the whole question, which is too long for a message, could not be stored. Make room, or call it with less."
const unwilling = `this client did not bring the question to a person. ${remedy}`

function read(kind: ApprovalAnswer["kind"], { fingerprint }: ApprovalRequest): ApprovalAnswer {
  if (kind === "approved") return { kind, fingerprint }
  return kind === "denied" ? { kind } : { kind, remedy: unwilling }
}
