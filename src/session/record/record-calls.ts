import { type FailureDetails, failure } from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import type { CallRecorder, RecordedCall } from "../../runtime/index.ts"
import { type NewEntry, recordLimits, type SessionRecord } from "../../store/index.ts"
import { type CallEntries, callBody, callKey } from "./call-entries.ts"
import { OutputTail } from "./output-tail.ts"

interface Recording {
  /** Whether the call itself is in the record. */
  isBegun: boolean
  output: OutputTail | null
  /** Set while output waits to be recorded. */
  cancelTimer: (() => void) | null
  wasOutputRecorded: boolean
}

/** Records the calls of a session, whose record is opened with the first of them. */
export function recordCalls(open: () => Promise<SessionRecord>, clock: Clock): CallRecorder {
  const recordings = new Map<string, Recording>()
  /** The ends of calls whose answer could not be recorded, for the next write. */
  const owed: NewEntry[] = []

  function recordingOf(call: string): Recording {
    const known = recordings.get(call)
    if (known) return known
    const made = { isBegun: false, output: null, cancelTimer: null, wasOutputRecorded: false }
    recordings.set(call, made)
    return made
  }
  /** The entry of the call itself, where it is not in the record yet. */
  function begin(call: RecordedCall): readonly NewEntry[] {
    if (recordingOf(call.id).isBegun) return []
    return [{ kind: "call", at: clock.now(), body: callBody(call), opens: callKey(call.id) }]
  }
  async function append(entries: readonly NewEntry[]): Promise<void> {
    if (entries.length === 0) return
    const record = await open()
    const before = owed.splice(0)
    try {
      await record.append([...before, ...entries])
    } catch (error) {
      owed.unshift(...before)
      throw error
    }
  }
  async function appendBegun(call: RecordedCall, ...more: NewEntry[]): Promise<void> {
    await append([...begin(call), ...more])
    recordingOf(call.id).isBegun = true
  }
  /** Records the end, or later at least that there was one: a call without an end would look like a running one. */
  async function appendEnd(
    end: NewEntry,
    { tool, effects }: { readonly tool: string; readonly effects: readonly NewEntry[] },
  ): Promise<void> {
    try {
      await append([...effects, end])
    } catch (error) {
      const envelope = failure(tool, lost)
      owed.push({ ...end, body: { ...Object(end.body), envelope } })
      throw error
    }
  }
  async function recordOutput(call: string, recording: Recording): Promise<void> {
    recording.cancelTimer?.()
    recording.cancelTimer = null
    recording.wasOutputRecorded = true
    const record = await open()
    if (recording.output) await record.putOutput(call, recording.output.output)
  }

  return {
    started: (call) => appendBegun(call),
    async asked(call, { fingerprint, prompt, question: text }) {
      const body = { call: call.id, prompt, text, fingerprint }
      await appendBegun(call, { kind: "question", at: clock.now(), body })
    },
    async answered({ id }, answer) {
      await append([{ kind: "answer", at: clock.now(), body: { call: id, answer } }])
      // A question is open only if it was parked.
      const record = await open()
      const asked = (await record.openQuestions()).filter(({ call }) => call === id)
      for (const question of asked) await record.takeAnswer(question.id)
    },
    output(call, { bytes }) {
      const recording = recordingOf(call)
      recording.output ??= new OutputTail()
      recording.output.add(bytes)
      // The entry that ends the call reports what a disk refuses here.
      recording.cancelTimer ??= clock.after(recordLimits.outputMs, () => {
        recordOutput(call, recording).catch(() => {})
      })
    },
    async ended(call, envelope, durationMs) {
      const recording = recordings.get(call.id)
      recordings.delete(call.id)
      recording?.cancelTimer?.()
      // A short output is in the envelope.
      if (recording?.wasOutputRecorded) await recordOutput(call.id, recording).catch(() => {})
      const at = clock.now()
      const body = { call: call.id, envelope, duration_ms: durationMs }
      const end: NewEntry = { kind: "envelope", at, body }
      const effects = effectsEntry(call, at)
      const { tool } = envelope
      if (recording?.isBegun) {
        await appendEnd({ ...end, closes: callKey(call.id) }, { tool, effects })
      } else await append([{ kind: "call", at, body: callBody(call) }, ...effects, end])
    },
  }
}

/** What the call did, before the envelope that says that all of it is over. */
function effectsEntry({ id, effects }: RecordedCall, at: number): readonly NewEntry[] {
  if (!effects) return []
  const body: CallEntries["call-effects"] = { call: id, ...effects }
  return [{ kind: "call-effects", at, body }]
}

const lost: FailureDetails = {
  kind: "execution_error",
  message: "The call has ended, but its answer could not be recorded and is lost.",
  retryable: false,
}
