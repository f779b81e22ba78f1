import { type FailureDetails, limits, type Tool } from "../contract/index.ts"
import type { Clock } from "../kit/index.ts"
import type { Rule } from "../policy/index.ts"
import { type ApprovalAnswer, type ApprovedCall, type Approver, fingerprintOf } from "./approval.ts"
import { describeQuestion } from "./describe-question.ts"
import type { CallStage } from "./events.ts"

interface Question extends ApprovedCall {
  readonly callId: string
  readonly prompt: string
  readonly rule: Rule
}

interface Asking {
  readonly approve: Approver | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly emit: (stage: CallStage) => void
  /** The same tool as it is registered now; undefined when it is gone. */
  readonly current: () => Tool | undefined
}

/** Asks a person; null means yes, for exactly what was asked. */
export async function askApproval(
  question: Question,
  { approve, clock, signal, emit, current }: Asking,
): Promise<FailureDetails | null> {
  const { callId, tool, sandbox, prompt, rule } = question
  if (!approve) {
    return {
      kind: "rejected",
      message: `${prompt} Nobody is there to be asked (${rule.text}): connect an approver, or change that rule.`,
    }
  }
  const { name, title } = tool
  const input = structuredClone(question.input)
  const place = {
    sandbox: sandbox?.name ?? null,
    ...(sandbox?.cwd !== undefined && { cwd: sandbox.cwd }),
  }
  const described = describeQuestion({ tool: name, title, input, prompt, ...place })
  if (described.kind === "refused") return unshowable(prompt, described.why)
  const fingerprint = await fingerprintOf(question)
  emit({ kind: "approval-requested", prompt, fingerprint })
  const waiting = new AbortController()
  const stop = () => waiting.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop, { once: true })
  const cancelTimer = clock.after(limits.approvalMs, () => waiting.abort())
  try {
    const request = {
      ...{ callId, tool: name, title, input, prompt, rule, fingerprint, ...place },
      question: described.text,
      expiresAt: clock.now() + limits.approvalMs,
    }
    const answer = await Promise.race([approve(request, waiting.signal), expired(waiting.signal)])
    const refusal =
      readAnswer(answer, { prompt, rule, fingerprint }) ??
      ((await isStill(fingerprint, { ...question, tool: current() })) ? null : changed)
    emit({ kind: "approval-answered", approved: refusal === null })
    return refusal
  } finally {
    cancelTimer()
    signal.removeEventListener("abort", stop)
    waiting.abort()
  }
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

function readAnswer(
  answer: ApprovalAnswer | "expired",
  asked: { readonly prompt: string; readonly rule: Rule; readonly fingerprint: string },
): FailureDetails | null {
  if (answer === "expired") {
    return { kind: "unavailable", message: "Nobody answered the request for approval in time." }
  }
  if (answer.kind === "denied") {
    const because = answer.reason ? `: ${answer.reason}` : "."
    return { kind: "user_denied", message: `A person said no to this call${because}` }
  }
  if (answer.kind === "unreachable") {
    const message = `${asked.prompt} Nobody is there to be asked (${asked.rule.text}): ${answer.remedy}`
    return { kind: "rejected", message }
  }
  return answer.fingerprint === asked.fingerprint
    ? null
    : { kind: "rejected", message: "The approval was given for another call than this one." }
}
