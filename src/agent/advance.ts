import type { FailureDetails } from "../contract/index.ts"
import type { Clock } from "../kit/index.ts"
import type { Approver } from "../runtime/index.ts"
import type { NewEntry, SessionRecord } from "../store/index.ts"
import { answerRound, callsOf, knownEnvelopes, toolMessage } from "./answer-round.ts"
import { addUsage, countCalls, reachedLimit } from "./check-limits.ts"
import { checkpointFiles } from "./checkpoint-files.ts"
import { buildMessages } from "./context/build-request.ts"
import { type FitDeps, fitContext, shortenContext } from "./context/fit-context.ts"
import type { Conversation, CurrentRun, Turn } from "./context/read-conversation.ts"
import { sendRequest } from "./context/send-request.ts"
import { steer } from "./context/steer.ts"
import {
  addSpent,
  messageEntry,
  newEntry,
  type RunEnd,
  type RunLimits,
  type Spent,
  subtractSpent,
} from "./entries.ts"
import { agentLimits } from "./limits.ts"
import type { AssistantMessage, Message, ModelCall, ToolMessage, UserMessage } from "./messages.ts"
import type { ModelAnswer } from "./model/index.ts"
import type { Delta, Step, WaitingQuestion } from "./run-options.ts"

/** What a step works with. */
export interface StepDeps extends FitDeps {
  readonly record: SessionRecord
  /** Whether a tool runs commands, by either of its names. */
  readonly runsCommand: (tool: string) => boolean
  readonly caller: { readonly agent?: string; readonly ancestors: readonly string[] }
  readonly provider: string
  /** What the run may use, as it is now. */
  readonly limits: RunLimits
  readonly approve: Approver
  /** Whether a call waits for a person who answers later. */
  readonly isParked: (call: string) => boolean
  /** What it waits for. */
  readonly questions: () => readonly WaitingQuestion[]
  readonly onDelta: ((delta: Delta) => void) | undefined
  /** Records what was said to the agent since the last request, which is delivered then; false where nothing was. */
  readonly deliver: Deliver
  /** The value of a finished run that has a schema, or what is wrong with the answer. */
  readonly readValue: (run: CurrentRun, text: string) => ValueCheck
  /** Whether it was the run's own time that ended the signal. */
  readonly timeIsOver: () => boolean
}

export type Deliver = (
  record: (messages: readonly UserMessage[]) => Promise<void>,
) => Promise<boolean>

export type ValueCheck =
  | { readonly kind: "none" }
  | { readonly kind: "valid"; readonly value: unknown }
  | { readonly kind: "invalid"; readonly problem: string }

/**
 * Does the next step of a run: answers the calls of the model's last answer, or asks the model again, or ends the run.
 * Everything it needs is in the record, and what it did is there before it returns: so it can be repeated, by this
 * process or by another.
 */
export async function advance(deps: StepDeps): Promise<Step> {
  const conversation = await deps.reader.read()
  const { run, turns } = conversation
  if (!run) return { kind: "idle" }
  if (run.end) return { kind: "ended", end: run.end }
  const last = turns.at(-1)
  if (last?.message.role !== "assistant") return ask(deps, conversation, run)
  const calls = callsOf(last.message)
  return calls.length > 0
    ? answer(deps, conversation, { last, calls })
    : finish(deps, run, last.message)
}

interface OpenRound {
  readonly last: Turn
  readonly calls: readonly ModelCall[]
}

async function answer(
  deps: StepDeps,
  conversation: Conversation,
  { last, calls }: OpenRound,
): Promise<Step> {
  const { session, clock, signal, reader } = deps
  const after = Math.max(last.sequence, conversation.branchedAt)
  const counter = countCalls(deps.limits, conversation.spent, deps.runsCommand)
  const cutOff = new Set(last.cutOff)
  const known = await knownEnvelopes(session, calls, after)
  for (const call of calls) if (known.has(call.id)) counter.refuse(call)
  const round = await answerRound(session, calls, {
    ...deps.caller,
    provider: deps.provider,
    signal,
    approve: deps.approve,
    isParked: deps.isParked,
    trace: deps.trace,
    refuse: (call) => counter.refuse(call) ?? (cutOff.has(call.id) ? wasCutOff : null),
    known,
  })
  if (round.kind === "waiting") {
    await reader.append([], "waiting")
    return { kind: "waiting", questions: deps.questions() }
  }
  const { answers } = round
  const notes = steer(
    answers,
    conversation.turns.map(({ message }) => message),
  )
  const message = await toolMessage(session, answers, notes)
  // Children have added to it meanwhile.
  const { spent: now } = await reader.read()
  const spent = addSpent(counter.spent(), subtractSpent(now, conversation.spent))
  const end = completion(answers)
  // A round that changed files ends with a checkpoint of them.
  const files = await checkpointFiles(session, conversation.files, clock.now())
  await reader.append(
    [
      ...(files ? [files] : []),
      messageEntry(message, clock.now(), { spent }),
      ...(end ? [endEntry(end, clock)] : []),
    ],
    end ? "idle" : "running",
  )
  return end ? { kind: "ended", end } : { kind: "advanced" }
}

const wasCutOff: FailureDetails = {
  kind: "invalid_args",
  message:
    "The answer ended before the arguments of this call were complete, so it was not run. Send it again, in smaller parts if it is long.",
}

/** The tool `complete` ends a run with the round that it is in. */
function completion(answers: readonly { readonly envelope: unknown }[]): RunEnd | null {
  for (const { envelope } of answers) {
    const { ok, tool, result } = envelope as {
      ok: boolean
      tool: string
      result?: { summary?: string; result?: unknown }
    }
    if (!ok || tool !== "complete") continue
    const { summary = "", result: value } = result ?? {}
    return { why: "completed", text: summary, ...(value !== undefined && { value }) }
  }
  return null
}

/** The model has stopped, unless something was said to it meanwhile or it still owes a value. */
async function finish(deps: StepDeps, run: CurrentRun, message: AssistantMessage): Promise<Step> {
  if (await deps.deliver((messages) => say(deps, messages))) return { kind: "advanced" }
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("")
  switch (message.finish) {
    case "length":
      return endRun(deps, { why: "limit", limit: "the length of one answer", text })
    case "content-filter":
      return endRun(deps, {
        why: "failed",
        text: "The provider's content filter ended the answer.",
      })
    case "error":
    case "interrupted":
      return endRun(deps, { why: "failed", text: "The model's answer broke off before its end." })
    case "aborted":
      return endRun(deps, { why: "aborted", text })
  }
  const checked = deps.readValue(run, text)
  switch (checked.kind) {
    case "none":
      return endRun(deps, { why: "finished", text })
    case "valid":
      return endRun(deps, { why: "finished", text, value: checked.value })
    case "invalid":
      return askForValue(deps, run, checked.problem)
    default:
      return checked satisfies never
  }
}

const valueReminder = "Your answer must be a value that satisfies the schema."

async function askForValue(deps: StepDeps, run: CurrentRun, problem: string): Promise<Step> {
  const { turns } = await deps.reader.read()
  const own = turns.filter(({ sequence }) => sequence > run.sequence)
  const tries = own.filter(({ message }) => isReminder(message)).length
  if (tries >= agentLimits.schemaTries) {
    const text = `The model gave no value that satisfies the schema in ${tries + 1} tries: ${problem}`
    return endRun(deps, { why: "failed", text })
  }
  const text = `${valueReminder} ${problem} Call \`complete\` with it in \`result\`.`
  await say(deps, [{ role: "user", content: [{ type: "text", text }] }])
  return { kind: "advanced" }
}

function isReminder(message: Message): boolean {
  if (message.role !== "user") return false
  return message.content.some((part) => part.type === "text" && part.text.startsWith(valueReminder))
}

async function say({ reader, clock }: StepDeps, messages: readonly UserMessage[]): Promise<void> {
  await reader.append(messages.map((message) => messageEntry(message, clock.now())))
}

async function endRun({ record, reader, clock }: StepDeps, end: RunEnd): Promise<Step> {
  await reader.append([endEntry(end, clock)], "idle")
  await record.sync()
  return { kind: "ended", end }
}

function endEntry(end: RunEnd, clock: Clock): NewEntry {
  return newEntry({ kind: "run-ended", body: end }, clock.now())
}

async function ask(deps: StepDeps, before: Conversation, run: CurrentRun): Promise<Step> {
  const { clock, reader } = deps
  const limit = reachedLimit(deps.limits, before.spent, clock.now() - run.startedAt)
  if (limit !== null)
    return endRun(deps, { why: "limit", limit, text: `The run reached ${limit}.` })
  if (deps.signal.aborted) return endRun(deps, endedBySignal(deps))
  await deps.deliver((messages) => say(deps, messages))
  await fitContext(deps, run, deps.contextTokens)
  let answered = await request(deps, run)
  if (answered.kind === "overflow") {
    const problem = await shortenContext(deps, run, answered.limit)
    if (problem !== null) return endRun(deps, { why: "failed", text: problem })
    answered = await request(deps, run)
  }
  const { spent } = await reader.read()
  switch (answered.kind) {
    case "answered": {
      const { message, cutOff } = answered
      const more = {
        spent: addUsage(spent, message.usage, deps.prices),
        ...(cutOff.length > 0 && { cutOff }),
      }
      await reader.append([messageEntry(message, clock.now(), more)], "running")
      return { kind: "advanced" }
    }
    case "aborted":
      return abandon(deps, answered.message, {
        spent,
        end: endedBySignal(deps),
      })
    case "overflow":
      return endRun(deps, {
        why: "failed",
        text: `The conversation is too long for the model, even after it was shortened: ${answered.message}`,
      })
    case "failed": {
      const end: RunEnd = { why: "failed", text: answered.failure.message }
      if (!answered.partial) return endRun(deps, end)
      return abandon(deps, answered.partial.message, { spent, end })
    }
    default:
      return answered satisfies never
  }
}

/** By its own deadline, or by the holder of the signal. */
function endedBySignal({ timeIsOver, limits }: StepDeps): RunEnd {
  if (!timeIsOver()) return { why: "aborted", text: "The run was aborted." }
  const limit = `${limits.milliseconds ?? 0} ms`
  return { why: "limit", limit, text: `The run reached ${limit}.` }
}

async function request(deps: StepDeps, run: CurrentRun): Promise<ModelAnswer> {
  const { onDelta } = deps
  return sendRequest(deps, run, {
    messages: buildMessages(await deps.reader.read()),
    onDelta: (delta) => {
      if (delta.kind === "text" || delta.kind === "reasoning") onDelta?.(delta)
    },
  })
}

/** What an answer had said before it was ended or broke stays; its calls were not run. */
async function abandon(
  deps: StepDeps,
  message: AssistantMessage,
  { spent, end }: { readonly spent: Spent; readonly end: RunEnd },
): Promise<Step> {
  const { reader, clock } = deps
  const isEmpty = message.content.length === 0
  const results: ToolMessage = {
    role: "tool",
    results: callsOf(message).map((call) => ({
      call,
      content: [{ type: "text", text: "Not run: the answer was not complete." }],
      isError: true,
    })),
  }
  await reader.append(
    [
      ...(isEmpty
        ? []
        : [
            messageEntry(message, clock.now(), {
              spent: addUsage(spent, message.usage, deps.prices),
            }),
          ]),
      ...(results.results.length > 0 ? [messageEntry(results, clock.now())] : []),
      endEntry(end, clock),
    ],
    "idle",
  )
  return { kind: "ended", end }
}
