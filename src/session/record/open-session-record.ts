import { cutText, type Envelope, failure } from "../../contract/index.ts"
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
    const { call, tool } = callOf(entry)
    // A person may still answer; the process that continues the session then runs it.
    if (waiting.has(call)) continue
    const envelope = interrupted(tool, await record.output(call))
    const body: CallEntries["envelope"] = { call, envelope, duration_ms: clock.now() - entry.at }
    answers.push({ kind: "envelope", at: clock.now(), body, closes: callKey(call) })
  }
  if (answers.length > 0) await record.append(answers)
  return record
}

function callOf({ body }: RecordEntry): CallEntries["call"] {
  return body as CallEntries["call"]
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
