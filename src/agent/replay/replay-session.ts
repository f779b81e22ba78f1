import type { Envelope } from "../../contract/index.ts"
import type { CallEntries, Session } from "../../session/index.ts"
import type { RecordEntry, RecordReader } from "../../store/index.ts"
import { type AnsweredCall, callsOf, toolMessage } from "../answer-round.ts"
import { readPath } from "../context/read-conversation.ts"
import { steer } from "../context/steer.ts"
import type { RecordedAgentEntry } from "../entries.ts"
import type { Message, ToolMessage } from "../messages.ts"
import { compareValues, type Difference } from "./compare-values.ts"

export interface ReplayOptions {
  /** The record of the session that is replayed. */
  readonly record: RecordReader
  /** Where tools show their results and, with `live`, where they run: a new session. */
  readonly session: Session
  /** Runs the calls again, instead of taking their recorded envelopes. */
  readonly live?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** What a replay found. Nothing in `differences` means that everything came out as it is recorded. */
export interface ReplayReport {
  readonly calls: number
  /** Answers to a model that were put together again. */
  readonly messages: number
  readonly differences: readonly CallDifference[]
  /** What differs in every run and was not compared: times, process numbers, made-up names. */
  readonly ignored: readonly string[]
  /** What the record does not hold, so that it could not be replayed. */
  readonly notCaptured: readonly string[]
}

export interface CallDifference extends Difference {
  /** The sequence number of the entry that says otherwise. */
  readonly entry: number
  readonly tool: string
}

/**
 * Goes through a recorded session without a model: each call is answered again, from its recorded envelope or by its
 * tool, and each answer is shown to the model again. Reports whatever is not as it was.
 */
export async function replaySession(options: ReplayOptions): Promise<ReplayReport> {
  const { record, session, live = false, signal } = options
  const differences: CallDifference[] = []
  const ignored = new Set<string>()
  const notCaptured: string[] = []
  const envelopes = new Map<string, Envelope>()
  const tools = new Map<string, CallEntries["call"]>()
  /** The arguments that a person gave instead of those that were sent, by call. */
  const edited = new Map<string, unknown>()
  const said: Message[] = []
  let calls = 0
  let messages = 0

  const report = (entry: number, tool: string, recorded: unknown, now: unknown) => {
    const compared = compareValues(recorded, now)
    for (const path of compared.ignored) ignored.add(path.replaceAll(/\[\d+\]/g, "[]"))
    for (const one of compared.differences) differences.push({ entry, tool, ...one })
  }

  async function replayEnvelope(entry: RecordEntry): Promise<void> {
    const { call, envelope } = entry.body as CallEntries["envelope"]
    const asked = tools.get(call)
    if (!asked || envelopes.has(call)) {
      notCaptured.push(`The call of entry ${entry.sequence} has no arguments in the record.`)
      return
    }
    calls += 1
    if (!live) {
      envelopes.set(call, envelope)
      return
    }
    if (ownTools.has(asked.tool)) {
      envelopes.set(call, envelope)
      notCaptured.push(
        `${asked.tool} of entry ${entry.sequence} needs an agent and was not run again.`,
      )
      return
    }
    const { tool, input, sandbox, cwd, agent, provider } = asked
    // As it was sent, and not as it was checked: another host's tool has other defaults.
    const isEdited = edited.has(call)
    const edit = { kind: "edited", input: edited.get(call) } as const
    const running = session.start(tool, input, {
      ...{ sandbox, cwd, agent, provider, signal },
      // The person who edited it then is there again, also where nothing asks now.
      ...(isEdited && { ask: "A person edited this call." }),
      approve: async ({ fingerprint }) =>
        isEdited && edited.delete(call) ? edit : { kind: "approved", fingerprint },
    })
    const now = await running.envelope
    envelopes.set(call, now)
    report(entry.sequence, tool, envelope, now)
  }

  async function replayMessage(entry: RecordEntry, message: Message): Promise<void> {
    const before = said.findLast(({ role }) => role === "assistant")
    if (message.role === "tool" && before?.role === "assistant") {
      const answers = callsOf(before).flatMap((call): AnsweredCall[] => {
        const envelope = envelopes.get(call.id)
        return envelope ? [{ call, envelope }] : []
      })
      if (answers.length < message.results.length) {
        notCaptured.push(`Entry ${entry.sequence} answers calls that have no envelope.`)
      } else {
        messages += 1
        const now = await toolMessage(session, answers, steer(answers, said))
        report(entry.sequence, "(answer to the model)", texts(message), texts(now))
      }
    }
    said.push(message)
  }

  const abandoned = await abandonedRanges(record)
  const isAbandoned = ({ sequence }: RecordEntry) =>
    abandoned.some(({ after, before }) => sequence > after && sequence < before)
  for (let after = 0; ; ) {
    const page = await record.entries({ after })
    for (const entry of page) {
      signal?.throwIfAborted()
      if (isAbandoned(entry)) continue
      const { kind, body } = entry as RecordedAgentEntry
      if (entry.kind === "call") {
        const call = entry.body as CallEntries["call"]
        tools.set(call.call, call)
      } else if (entry.kind === "answer") {
        const { call, answer } = entry.body as CallEntries["answer"]
        if (answer.kind === "edited") edited.set(call, answer.input)
      } else if (entry.kind === "envelope") {
        await replayEnvelope(entry)
      } else if (kind === "message") {
        await replayMessage(entry, body.message)
      }
    }
    const newest = page.at(-1)
    if (!newest) break
    after = newest.sequence
  }
  return { calls, messages, differences, ignored: [...ignored], notCaptured }
}

/** Entries that are not on the current branch. */
async function abandonedRanges(record: RecordReader) {
  const path = await readPath(record, { isWhole: true })
  return path.flatMap(({ kind, parent, sequence }) =>
    kind === "branched" ? [{ after: parent ?? 0, before: sequence }] : [],
  )
}

/** Tools that exist only in an agent's run. */
const ownTools: ReadonlySet<string> = new Set([
  "task",
  "todo",
  "clarify",
  "complete",
  "result.read",
  "result_read",
])

/** Images are the same or not there: their files may be gone. */
function texts({ results }: ToolMessage): readonly unknown[] {
  return results.map(({ call, content, isError }) => ({
    call: call.id,
    isError,
    text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
  }))
}
