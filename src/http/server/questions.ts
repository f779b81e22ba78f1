import type { ParkedAnswer, ParkedQuestion } from "../../agent/index.ts"
import type { RouteAnswer, RouteInput } from "../../api/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { type Clock, createId } from "../../kit/index.ts"
import type { ApprovalAnswer, ApprovalRequest, Approver } from "../../runtime/index.ts"
import type { RecordStore } from "../../store/index.ts"
import { repeat } from "../events/repeat.ts"
import { httpLimits } from "../limits.ts"

export type ShownQuestion = RouteAnswer<"questions.list">["questions"][number]
type Answer = RouteInput<"questions.answer">

export interface Questions {
  /** Asks those who watch the questions; nobody can be reached while nobody does. */
  readonly approve: Approver
  list(): Promise<readonly ShownQuestion[]>
  /** False when somebody else was first. */
  answer(answer: Answer, by: string): Promise<boolean>
  /** Counts a watcher, who is called when a question comes or goes; the returned function ends that. */
  watch(onChange: () => void): () => void
  /** Calls back when a question that waits in the record was answered here. It counts nobody as a watcher. */
  onAnswered(listener: () => void): () => void
}

interface LiveQuestion {
  readonly request: ApprovalRequest
  readonly askedMs: number
  readonly answer: (answer: ApprovalAnswer) => void
}

/** What waits for a person: calls of this server, and runs of agents whose questions wait in the record. */
export function createQuestions({
  store,
  clock,
}: {
  readonly store: RecordStore
  readonly clock: Clock
}): Questions {
  const live = new Map<string, LiveQuestion>()
  const watchers = new Set<() => void>()
  const answered = new Set<() => void>()
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  let stopLooking = () => {}
  /** Runs leave questions in the record, also those of other processes, and nobody calls then. */
  const lookAtRecord = () => {
    let seen = ""
    return repeat(clock, httpLimits.lookMs, async () => {
      const now = JSON.stringify(await parked())
      if (now === seen) return
      seen = now
      changed()
    })
  }

  const approve: Approver = async (request, signal) => {
    const id = createId("question")
    const given = Promise.withResolvers<ApprovalAnswer>()
    const withdraw = () => {
      signal.removeEventListener("abort", withdraw)
      // The runtime does not look at what it resolves with then.
      given.resolve({ kind: "unreachable", remedy })
      if (live.delete(id)) changed()
    }
    signal.addEventListener("abort", withdraw, { once: true })
    const answer = (said: ApprovalAnswer) => {
      given.resolve(said)
      withdraw()
    }
    live.set(id, { request, askedMs: clock.now(), answer })
    changed()
    // The call may be over by now.
    if (signal.aborted) withdraw()
    // Who opens a console while another client is asked sees the question too.
    if (watchers.size === 0) return { kind: "unreachable", remedy, later: given.promise }
    return given.promise
  }

  async function parked(): Promise<readonly ShownQuestion[]> {
    const waiting = await store.sessions({ state: "waiting", limit: Number.MAX_SAFE_INTEGER })
    const found = await Promise.all(
      waiting.map(async ({ name }) => {
        const open = (await (await store.read(name))?.openQuestions()) ?? []
        return open
          .filter(({ answer }) => answer === null)
          .map(({ id, call, askedAt, body }) =>
            showParked(body as ParkedQuestion, name)(id, call, askedAt),
          )
      }),
    )
    return found.flat()
  }

  return {
    approve,
    async list() {
      const asked = [...live].map(([id, question]) => showLive(id, question))
      return [...asked, ...(await parked())].toSorted((a, b) => a.asked_ms - b.asked_ms)
    },
    async answer(given, by) {
      const asked = live.get(given.question)
      if (asked) {
        requireFit("approval", given)
        requireSame(asked.request, given)
        asked.answer(approvalAnswer(given, by))
        return true
      }
      const waiting = await store.question(given.question)
      if (!waiting) return false
      requireFit((waiting.body as ParkedQuestion).kind, given)
      const isFirst = await store.answer(given.question, parkedAnswer(given, by))
      changed()
      for (const listener of answered) listener()
      return isFirst
    },
    onAnswered(listener) {
      const own = () => listener()
      answered.add(own)
      return () => answered.delete(own)
    },
    watch(onChange) {
      const watcher = () => onChange()
      if (watchers.size === 0) stopLooking = lookAtRecord()
      watchers.add(watcher)
      return () => {
        if (watchers.delete(watcher) && watchers.size === 0) stopLooking()
      }
    },
  }
}

const remedy = "watch /api/questions/events and answer there, or allow the call in toolkeep.yaml."

function showLive(id: string, { request, askedMs }: LiveQuestion): ShownQuestion {
  const { session, callId, tool, question, input, rule, expiresAt, fingerprint } = request
  return {
    ...{ question: id, kind: "approval", session, call: callId, tool, text: question, input },
    rule: {
      text: rule.text,
      ...(rule.because !== undefined && { because: rule.because }),
      ...(rule.line !== undefined && { line: rule.line }),
      ...(rule.file !== undefined && { file: rule.file }),
    },
    ...{ asked_ms: askedMs, expires_ms: expiresAt, fingerprint },
  }
}

function showParked({ kind, text, tool, input, options, rule }: ParkedQuestion, session: string) {
  return (id: string, call: string, askedMs: number): ShownQuestion => ({
    ...{ question: id, kind, session, call, tool, text, input: input ?? null },
    ...(options && { options }),
    ...(rule && { rule }),
    ...{ asked_ms: askedMs, expires_ms: null, fingerprint: null },
  })
}

function requireFit(kind: ParkedQuestion["kind"], { answer, input, text }: Answer): void {
  const refuse = (message: string, field: string) => {
    throw new ToolFailure({ kind: "invalid_args", message, field })
  }
  if (kind === "approval" && answer === "say")
    refuse("The question is whether a call may run.", "answer")
  if (kind === "clarify" && answer !== "say" && answer !== "deny") {
    refuse("The model asks for an answer: say, with a text.", "answer")
  }
  if (answer === "edit" && input === undefined) refuse("edit needs the arguments to run.", "input")
  if (answer === "say" && text === undefined) refuse("say needs a text.", "text")
}

/** An approval names exactly what was shown. */
function requireSame({ fingerprint }: ApprovalRequest, given: Answer): void {
  const isApproval = given.answer === "approve" || given.answer === "always"
  if (!isApproval || given.fingerprint === fingerprint) return
  const message = "The fingerprint is not that of this question: read the question again."
  throw new ToolFailure({ kind: "invalid_args", message, field: "fingerprint" })
}

function approvalAnswer(
  { answer, fingerprint = "", reason, input }: Answer,
  by: string,
): ApprovalAnswer {
  switch (answer) {
    case "approve":
      return { kind: "approved", fingerprint, by }
    case "always":
      return { kind: "approved", fingerprint, always: true, by }
    case "edit":
      return { kind: "edited", input, by }
    case "deny":
    case "say":
      return { kind: "denied", by, ...(reason !== undefined && { reason }) }
    default:
      return answer satisfies never
  }
}

function parkedAnswer({ answer, reason, input, text = "" }: Answer, by: string): ParkedAnswer {
  switch (answer) {
    case "approve":
      return { kind: "approved", by }
    case "always":
      return { kind: "approved", always: true, by }
    case "edit":
      return { kind: "edited", input, by }
    case "deny":
      return { kind: "denied", by, ...(reason !== undefined && { reason }) }
    case "say":
      return { kind: "said", text, by }
    default:
      return answer satisfies never
  }
}
