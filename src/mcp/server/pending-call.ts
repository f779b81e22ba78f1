import { randomUUID } from "node:crypto"
import type { Envelope } from "../../contract/index.ts"
import { canonicalJson, createId } from "../../kit/index.ts"
import type { ApprovalAnswer, ApprovalRequest } from "../../runtime/index.ts"
import type { McpClient } from "./mcp-client.ts"

/** A question that the client has to bring to a person. */
export interface Question {
  /** Given back with the answer, sealed: it stands for this call and no other. */
  readonly state: string
  readonly request: ApprovalRequest
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

  const stopExpecting = settings.desk.expect(id, async (request) => {
    if (!canAsk) return { kind: "unreachable", remedy: unable }
    state = randomUUID()
    questions.set(state, call)
    asked.resolve({ state, request })
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
    stopExpecting()
    calls.delete(id)
    questions.delete(state)
  })
  return call
}

const remedy = "Use one that can, or allow the call in toolkeep.yaml."
const unable = `this client can't ask a person (it has no elicitation). ${remedy}`
const unwilling = `this client did not bring the question to a person. ${remedy}`

function read(kind: ApprovalAnswer["kind"], { fingerprint }: ApprovalRequest): ApprovalAnswer {
  if (kind === "approved") return { kind, fingerprint }
  return kind === "denied" ? { kind } : { kind, remedy: unwilling }
}
