import { createId } from "../kit/index.ts"
import { type ApprovalAnswer, type Approver, CallParked } from "../runtime/index.ts"
import type { SessionRecord } from "../store/index.ts"
import type { Clarify, ClarifyQuestion, WaitingQuestion } from "./run-options.ts"

/** How a run asks its person. */
export interface Person {
  readonly approve: Approver
  readonly clarify: (
    call: string,
    question: ClarifyQuestion,
    signal: AbortSignal,
  ) => Promise<string>
  /** Whether a call waits for an answer that comes later. */
  readonly isParked: (call: string) => boolean
  /** What the person has not answered yet. */
  readonly questions: () => readonly WaitingQuestion[]
  /** A call waits for what its child session asks. */
  readonly waitFor: (call: string, questions: readonly WaitingQuestion[]) => never
}

/** What a person answers to a question that waits in the record. */
export type ParkedAnswer =
  | { readonly kind: "approved"; readonly always?: boolean; readonly by?: string }
  | { readonly kind: "edited"; readonly input: unknown; readonly by?: string }
  | { readonly kind: "denied"; readonly reason?: string; readonly by?: string }
  | { readonly kind: "said"; readonly text: string; readonly by?: string }

export interface ParkedQuestion {
  readonly kind: "approval" | "clarify"
  readonly text: string
  readonly tool: string
  readonly input?: unknown
  readonly options?: readonly string[]
}

export interface PersonOptions {
  readonly approve?: Approver | undefined
  readonly clarify?: Clarify | undefined
}

/** Asks by the given callbacks. Without one, a question waits in the record, and the call ends until it is answered. */
export function createPerson(
  record: SessionRecord,
  options: PersonOptions,
  now: () => number,
): Person {
  const parked = new Map<string, readonly WaitingQuestion[]>()

  /** The answer that has come to this question meanwhile; else the call waits for it. */
  async function park(call: string, body: ParkedQuestion): Promise<ParkedAnswer> {
    parked.delete(call)
    const text = JSON.stringify(body)
    const open = (await record.openQuestions()).filter((question) => question.call === call)
    const known = open.find((question) => JSON.stringify(question.body) === text)
    if (known && known.answer !== null) return known.answer as ParkedAnswer
    // The person was asked about another call than the one that would run now.
    for (const one of open) if (one !== known) await record.takeAnswer(one.id)
    const id = known?.id ?? createId("question")
    if (!known) await record.ask({ id, call, askedAt: now(), body })
    return waitFor(call, [{ id, call, text: body.text }])
  }
  function waitFor(call: string, questions: readonly WaitingQuestion[]): never {
    parked.set(call, questions)
    throw new CallParked()
  }

  /** Who has written the arguments of a call, where a person did. */
  const edited = new Map<string, string | undefined>()

  /** Arguments that a person wrote need no second approval; what the policy denies stays denied. */
  const approve: Approver = async (request, signal) => {
    const { callId, fingerprint } = request
    if (edited.has(callId)) return { kind: "approved", fingerprint, by: edited.get(callId) }
    const answer = await approveOnce(request, signal)
    if (answer.kind === "edited") edited.set(callId, answer.by)
    return answer
  }
  const approveOnce: Approver = async (request, signal) => {
    const { approve: ask } = options
    return ask && !(await isAnswered(request.callId)) ? ask(request, signal) : approveLater(request)
  }
  /** A question that waited may have its answer by now, and is not asked again. */
  async function isAnswered(call: string): Promise<boolean> {
    const questions = await record.openQuestions()
    return questions.some((question) => question.call === call && question.answer !== null)
  }

  async function approveLater(request: Parameters<Approver>[0]): Promise<ApprovalAnswer> {
    const { callId, tool, input, question: text, fingerprint } = request
    const answer = await park(callId, { kind: "approval", text, tool, input })
    switch (answer.kind) {
      case "approved":
        return { ...answer, fingerprint }
      case "said":
        return { kind: "denied", reason: answer.text, by: answer.by }
      default:
        return answer
    }
  }

  return {
    approve,
    isParked: (call) => parked.has(call),
    questions: () => [...parked.values()].flat(),
    waitFor,
    async clarify(call, { question, options: choices }, signal) {
      if (options.clarify && !(await isAnswered(call)))
        return options.clarify({ question, options: choices }, signal)
      const asked = { kind: "clarify", text: question, tool: "clarify", options: choices } as const
      const answer = await park(call, asked)
      for (const { id } of (await record.openQuestions()).filter((one) => one.call === call)) {
        await record.takeAnswer(id)
      }
      if (answer.kind === "said") return answer.text
      return answer.kind === "denied"
        ? (answer.reason ?? "The person does not want to answer.")
        : ""
    },
  }
}
