import {
  cutText,
  type Envelope,
  type FailureDetails,
  failure,
  isObject,
} from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import type {
  CallOutput,
  NewEntry,
  RecordEntry,
  RecordStore,
  SessionRecord,
} from "../../store/index.ts"
import { type CallEntries, callKey } from "./call-entries.ts"

export interface RecordOptions {
  readonly clock: Clock
  readonly parent?: { readonly session: string; readonly call: string } | undefined
}

/** Opens a session's record, and answers the calls that the end of an earlier process has left without an answer. */
export async function openSessionRecord(
  store: RecordStore,
  name: string,
  { clock, parent }: RecordOptions,
): Promise<SessionRecord> {
  const record = await store.open(name, { parent })
  const waiting = new Set((await record.openQuestions()).map(({ call }) => call))
  const unclosed = (await record.unclosed()).filter(({ kind }) => kind === "call")
  const answers: NewEntry[] = []
  for (const entry of unclosed) {
    const { call, tool, reads } = callOf(entry)
    // A person may still answer; the process that continues the session then runs it.
    if (waiting.has(call)) continue
    const isHarmless = reads === true || (await isUnanswered(record, entry))
    const envelope = isHarmless
      ? failure(tool, notDone)
      : interrupted(tool, await record.output(call))
    const body: CallEntries["envelope"] = {
      ...{ call, envelope, duration_ms: clock.now() - entry.at },
      interrupted: isHarmless ? "harmless" : "unknown",
    }
    answers.push({ kind: "envelope", at: clock.now(), body, closes: callKey(call) })
  }
  if (answers.length > 0) await record.append(answers)
  return record
}

function callOf({ body }: RecordEntry): CallEntries["call"] {
  return body as CallEntries["call"]
}

/** Whether a person was asked about the call and never answered, so that it has not started. */
async function isUnanswered(record: SessionRecord, entry: RecordEntry): Promise<boolean> {
  const { call, verdict } = callOf(entry)
  if (!isObject(verdict) || verdict.kind !== "ask") return false
  let last = ""
  for (let after = entry.sequence; ; ) {
    const entries = await record.entries({ after })
    for (const { kind, body } of entries) {
      if ((kind === "question" || kind === "answer") && isObject(body) && body.call === call) {
        last = kind
      }
    }
    const newest = entries.at(-1)
    if (!newest) return last === "question"
    after = newest.sequence
  }
}

const notDone: FailureDetails = {
  kind: "unavailable",
  message: "Toolkeep was ended before this call had done anything. Call it again.",
  retryable: true,
}

/** How far it came is unknown, so nothing repeats it automatically. */
function interrupted(tool: string, output: CallOutput | null): Envelope {
  const text = output
    ? [output.head, output.tail].filter((part) => part !== "").join("\n[...]\n")
    : ""
  const printed = text === "" ? "It had printed nothing." : `It had printed:\n${cutText(text).text}`
  return failure(tool, {
    kind: "execution_error",
    message: `Toolkeep was ended while this call ran, so its outcome is unknown: check what it has done before you repeat it. ${printed}`,
    retryable: false,
  })
}
