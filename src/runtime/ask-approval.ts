import { type CallSession, type FailureDetails, limits, type Tool } from "../contract/index.ts"
import type { Clock } from "../kit/index.ts"
import type { Rule } from "../policy/index.ts"
import { type ApprovalAnswer, type ApprovedCall, type Approver, fingerprintOf } from "./approval.ts"
import { CallParked } from "./call-parked.ts"
import type { CallRecorder, RecordedCall } from "./call-recorder.ts"
import { describeQuestion } from "./describe-question.ts"
import type { CallStage } from "./events.ts"

interface Question extends ApprovedCall {
  readonly callId: string
  readonly prompt: string
  readonly rule: Rule
}

interface Asking {
  readonly session: CallSession
  readonly approve: Approver | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly emit: (stage: CallStage) => void
  /** The same tool as it is registered now; undefined when it is gone. */
  readonly current: () => Tool | undefined
  readonly recorder: CallRecorder | undefined
  readonly recorded: () => RecordedCall
}

/** How a question was answered. */
export type Approval =
  | { readonly kind: "granted"; readonly always: boolean }
  | { readonly kind: "edited"; readonly input: unknown }
  | { readonly kind: "refused"; readonly failure: FailureDetails }

/** Asks a person. A yes is for exactly what was asked. */
export async function askApproval(
  question: Question,
  { session, approve, clock, signal, emit, current, recorder, recorded }: Asking,
): Promise<Approval> {
  const { callId, tool, sandbox, prompt, rule } = question
  if (!approve) {
    return refused({
      kind: "rejected",
      message: `${prompt} Nobody is there to be asked (${rule.text}): connect an approver, or change that rule.`,
    })
  }
  const { name, title } = tool
  const input = structuredClone(question.input)
  const place = {
    sandbox: sandbox?.name ?? null,
    ...(sandbox?.cwd !== undefined && { cwd: sandbox.cwd }),
  }
  const described = describeQuestion({ tool: name, title, input, prompt, ...place })
  if (described.kind === "refused") return refused(unshowable(prompt, described.why))
  const fingerprint = await fingerprintOf(question)
  emit({ kind: "approval-requested", prompt, fingerprint })
  const waiting = new AbortController()
  const stop = () => waiting.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop, { once: true })
  const cancelTimer = clock.after(limits.approvalMs, () => waiting.abort())
  try {
    const request = {
      ...{ callId, session: session.name, tool: name, title, input, prompt, rule, fingerprint },
      ...place,
      question: described.text,
      expiresAt: clock.now() + limits.approvalMs,
    }
    await recorder?.asked(recorded(), request)
    const said = await Promise.race([approve(request, waiting.signal), expired(waiting.signal)])
    const answer = said === "expired" ? said : forNow(said)
    if (answer !== "expired") {
      if (answer.kind === "parked") throw new CallParked()
      await recorder?.answered(recorded(), answer)
    }
    const holds = () => isStill(fingerprint, { ...question, tool: current() })
    const approval = await readAnswer(answer, { prompt, rule, fingerprint, holds })
    const { kind, ...more } = answer === "expired" ? { kind: answer } : answer
    emit({
      kind: "approval-answered",
      answer: kind,
      approved: approval.kind === "granted",
      ...("by" in more && { by: more.by }),
      ...("reason" in more && { reason: more.reason }),
    })
    return approval
  } finally {
    cancelTimer()
    signal.removeEventListener("abort", stop)
    waiting.abort()
  }
}

/** What was answered; nobody is waited for who might still come. */
function forNow(answer: ApprovalAnswer): ApprovalAnswer {
  return answer.kind === "unreachable" ? { kind: answer.kind, remedy: answer.remedy } : answer
}

function refused(failure: FailureDetails): Approval {
  return { kind: "refused", failure }
}

/** Whether what would run now is what the person was asked about. */
async function isStill(
  fingerprint: string,
  { tool, ...call }: Omit<ApprovedCall, "tool"> & { readonly tool: Tool | undefined },
): Promise<boolean> {
  if (tool?.unavailableReason() !== null) return false
  return (await fingerprintOf({ ...call, tool })) === fingerprint
}

const changed: FailureDetails = {
  kind: "rejected",
  message:
    "The tool or the sandbox has changed since a person was asked, so the approval does not hold. Repeat the call to ask again.",
}

/** Nobody says yes to what they can't see. */
function unshowable(prompt: string, why: string): FailureDetails {
  return {
    kind: "rejected",
    message: `${prompt} A person would have to be asked and can't be shown the arguments: ${why}. Call it with less at once.`,
  }
}

function expired(signal: AbortSignal): Promise<"expired"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("expired")
    else signal.addEventListener("abort", () => resolve("expired"), { once: true })
  })
}

const denied = "A person said no to this call"

/** The reason in such a message, ": " included; empty where the person gave none. */
export function deniedBecause(message: string): string {
  return message.startsWith(`${denied}: `) ? message.slice(denied.length) : ""
}

async function readAnswer(
  answer: Exclude<ApprovalAnswer, { kind: "parked" }> | "expired",
  asked: {
    readonly prompt: string
    readonly rule: Rule
    readonly fingerprint: string
    /** Whether what was asked about is still what would run. */
    readonly holds: () => Promise<boolean>
  },
): Promise<Approval> {
  if (answer === "expired") {
    const message = "Nobody answered the request for approval in time."
    return refused({ kind: "unavailable", message })
  }
  switch (answer.kind) {
    case "edited":
      if (!(await asked.holds())) return refused(changed)
      return { kind: "edited", input: answer.input }
    case "denied": {
      const because = answer.reason ? `: ${answer.reason}` : "."
      return refused({ kind: "user_denied", message: `${denied}${because}` })
    }
    case "unreachable": {
      const message = `${asked.prompt} Nobody is there to be asked (${asked.rule.text}): ${answer.remedy}`
      return refused({ kind: "rejected", message })
    }
    case "approved": {
      if (answer.fingerprint !== asked.fingerprint) return refused(another)
      if (!(await asked.holds())) return refused(changed)
      return { kind: "granted", always: answer.always === true }
    }
    default:
      return answer satisfies never
  }
}

const another: FailureDetails = {
  kind: "rejected",
  message: "The approval was given for another call than this one.",
}
