import { isObject, type Tool } from "../contract/index.ts"
import { canonicalJson } from "../kit/index.ts"
import type { Rule } from "../policy/index.ts"
import type { SandboxBinding } from "./call-request.ts"

/** What a person is asked. It can be answered only for exactly this. */
export interface ApprovalRequest {
  readonly callId: string
  /** The name of the session that asks. */
  readonly session: string
  readonly tool: string
  readonly title: string
  /** The repaired arguments that will run; a copy, so that changing it changes nothing. */
  readonly input: unknown
  readonly sandbox: string | null
  /** The directory in the sandbox where paths start, where the caller chose one. */
  readonly cwd?: string | undefined
  readonly prompt: string
  readonly rule: Rule
  /**
   * All of the above as a text to show as it is: nothing is cut, characters that can't be seen are marks, and no
   * argument looks like a line about the call.
   */
  readonly question: string
  /** Stands for the session, the arguments, the tool's definition and the sandbox together. */
  readonly fingerprint: string
  readonly expiresAt: number
}

export type ApprovalAnswer =
  | ({
      readonly kind: "approved"
      readonly fingerprint: string
      /** From now on the rule that asked does not ask about this tool any more, in this session and this sandbox. */
      readonly always?: boolean | undefined
    } & Answerer)
  /** Run it with other arguments, which are checked and judged like any others. */
  | ({
      readonly kind: "edited"
      readonly input: unknown
      /** It was written before: what was asked since then about the same call still waits for its answer. */
      readonly again?: boolean | undefined
    } & Answerer)
  | ({ readonly kind: "denied"; readonly reason?: string | undefined } & Answerer)
  /** A person is asked and will answer later: the call ends without an answer and is started again then. */
  | { readonly kind: "parked" }
  /** There is nobody who could be asked this way; the remedy is a sentence on what to do. */
  | Unreachable

interface Unreachable {
  readonly kind: "unreachable"
  readonly remedy: string
  /** What somebody answers who comes while others are still asked. */
  readonly later?: Promise<ApprovalAnswer>
}

interface Answerer {
  /** Who answered, for the record. */
  readonly by?: string | undefined
}

/** Asks a person. The signal aborts when the answer is no longer wanted. */
export type Approver = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>

/** What an approval is for: it holds for exactly this, in this runtime and so in this session. */
export interface ApprovedCall {
  readonly runtime: string
  readonly tool: Tool
  readonly input: unknown
  readonly sandbox: SandboxBinding | undefined
}

export async function fingerprintOf(call: ApprovedCall): Promise<string> {
  const { runtime, tool, input, sandbox } = call
  const { name, title, description, inputSchema, effects } = tool
  const text = canonicalJson({
    runtime,
    tool: { name, title, description, inputSchema, effects },
    input,
    sandbox: sandbox ? [sandbox.name, sandbox.cwd ?? null, revisionsOf(sandbox, input)] : null,
  })
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** Of the sandbox that the call is for, and of those that its arguments name, as in sandbox.transfer. */
function revisionsOf({ name, revision }: SandboxBinding, input: unknown): readonly unknown[] {
  if (!revision) return []
  const others = isObject(input) ? Object.values(input) : []
  const names = [name, ...others.filter((value) => typeof value === "string")]
  return names.map((one) => revision(one))
}
/**
 * Asks everybody at once: the first answer decides, and the others are told by their signal. Who can't ask a person, or
 * lets the question wait, decides only where nobody else answers.
 */
export function askEveryone(given: readonly (Approver | undefined)[]): Approver | undefined {
  const approvers = given.filter((approve) => approve !== undefined)
  if (approvers.length < 2) return approvers[0]
  return (request, signal) => {
    const decided = new AbortController()
    const wanted = AbortSignal.any([signal, decided.signal])
    const decision = Promise.withResolvers<ApprovalAnswer>()
    const answers = approvers.map(async (approve) => {
      const answer = await approve(request, wanted)
      decideBy(answer, decision.resolve)
      return answer
    })
    Promise.all(answers).then(([first, ...others]) => {
      const parked = [first, ...others].find((answer) => answer?.kind === "parked")
      decision.resolve(parked ?? (first as ApprovalAnswer))
    }, decision.reject)
    return decision.promise.finally(() => decided.abort())
  }
}

function decideBy(answer: ApprovalAnswer, decide: (answer: ApprovalAnswer) => void): void {
  if (answer.kind === "parked") return
  if (answer.kind === "unreachable") answer.later?.then((said) => decideBy(said, decide))
  else decide(answer)
}
