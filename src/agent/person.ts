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
  /** The rule that asks. */
  readonly rule?: { readonly text: string; readonly because?: string; readonly line?: number }
  /** What a person has written before in the place of the arguments, which led to this question. */
  readonly edits?: readonly ParkedEdit[]
}

interface ParkedEdit {
  /** The question that it was written to. */
  readonly to: string
  readonly input: unknown
  readonly by?: string
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
  /** What a person has written since a call began, or began again. */
  const written = new Map<string, readonly ParkedEdit[]>()

  /** The answer that has come to this question meanwhile; else the call waits for it. */
  async function park(call: string, body: ParkedQuestion): Promise<ParkedAnswer> {
    parked.delete(call)
    const text = JSON.stringify(body)
    const open = await openQuestionsOf(call)
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
    written.delete(call)
    throw new CallParked()
  }
  async function openQuestionsOf(call: string) {
    return (await record.openQuestions()).filter((question) => question.call === call)
  }

  const approve: Approver = async (request, signal) => {
    const { approve: ask } = options
    return ask && !(await isAnswered(request.callId)) ? ask(request, signal) : approveLater(request)
  }
  /** A question that waited may have its answer by now, and is not asked again. */
  async function isAnswered(call: string): Promise<boolean> {
    return (await openQuestionsOf(call)).some(({ answer }) => answer !== null)
  }
  /** A call that waited begins again with the arguments that were sent, and comes to the question by the same edits. */
  async function writtenBefore(call: string, to: string): Promise<ParkedEdit | undefined> {
    const edits = written.get(call) ?? []
    const isBegun = (one: readonly ParkedEdit[]) =>
      JSON.stringify(one.slice(0, edits.length)) === JSON.stringify(edits)
    return (await openQuestionsOf(call))
      .map(({ body }) => (body as ParkedQuestion).edits ?? [])
      .filter(isBegun)
      .map((one) => one[edits.length])
      .find((next) => next?.to === to)
  }
  function remember(call: string, edit: ParkedEdit): void {
    written.set(call, [...(written.get(call) ?? []), edit])
  }

  async function approveLater(request: Parameters<Approver>[0]): Promise<ApprovalAnswer> {
    const { callId, tool, input, question: text, fingerprint, rule } = request
    const before = await writtenBefore(callId, text)
    if (before) {
      remember(callId, before)
      return { kind: "edited", input: before.input, by: before.by, again: true }
    }
    const { because, line } = rule
    const why = {
      text: rule.text,
      ...(because !== undefined && { because }),
      ...(line !== undefined && { line }),
    }
    const edits = written.get(callId)
    const body = {
      kind: "approval",
      text,
      tool,
      input,
      rule: why,
      ...(edits && { edits }),
    } as const
    const answer = await park(callId, body)
    switch (answer.kind) {
      case "edited":
        remember(callId, {
          ...{ to: text, input: answer.input },
          ...(answer.by !== undefined && { by: answer.by }),
        })
        return answer
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
      for (const { id } of await openQuestionsOf(call)) await record.takeAnswer(id)
      if (answer.kind === "said") return answer.text
      return answer.kind === "denied"
        ? (answer.reason ?? "The person does not want to answer.")
        : ""
    },
  }
}
