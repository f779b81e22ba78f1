import { type CallEffects, type FailureDetails, failure } from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import type { CallRecorder, RecordedCall } from "../../runtime/index.ts"
import { type NewEntry, recordLimits, type SessionRecord } from "../../store/index.ts"
import { storeTexts, withoutTexts } from "../effects/recorded-effects.ts"
import { type CallEntries, callBody, callKey } from "./call-entries.ts"
import { PrintedOutput } from "./printed-output.ts"

interface Recording {
  /** Whether the call itself is in the record. */
  isBegun: boolean
  output: PrintedOutput | null
  /** Set while output waits to be recorded. */
  cancelTimer: (() => void) | null
  wasOutputRecorded: boolean
  /** When it first printed, and when it was last recorded how much. */
  firstMs: number
  markedMs: number
  /** Set while that waits to be recorded. */
  cancelMark: (() => void) | null
}

/** Records the calls of a session, whose record is opened with the first of them. */
export function recordCalls(open: () => Promise<SessionRecord>, clock: Clock): CallRecorder {
  const recordings = new Map<string, Recording>()
  /** The ends of calls whose answer could not be recorded, for the next write. */
  const owed: NewEntry[] = []

  function recordingOf(call: string): Recording {
    const known = recordings.get(call)
    if (known) return known
    const made = {
      ...{ isBegun: false, output: null, cancelTimer: null, wasOutputRecorded: false },
      ...{ firstMs: 0, markedMs: 0, cancelMark: null },
    }
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
      await record.append(before.length > 0 ? [...before, ...entries] : entries)
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

  /** So that a replay shows what had been printed when. A call that runs for long gets about a hundred of them. */
  function markLater(call: string, recording: Recording): void {
    const now = clock.now()
    const pauseMs = Math.max(recordLimits.printedMs, (now - recording.firstMs) / 10)
    recording.cancelMark ??= clock.after(Math.max(0, recording.markedMs + pauseMs - now), () => {
      recording.cancelMark = null
      recording.markedMs = clock.now()
      // A call that only reads is recorded when it ends.
      if (!recording.isBegun || !recording.output) return
      const body: CallEntries["call-printed"] = { call, bytes: recording.output.bytes }
      append([{ kind: "call-printed", at: clock.now(), body }]).catch(() => {})
    })
  }

  /** What the call did, before the envelope that says that all of it is over. */
  async function effectsEntries(
    id: string,
    effects: CallEffects,
    at: number,
  ): Promise<readonly NewEntry[]> {
    // Where the disk refuses the texts, the entry that ends the call says so.
    const recorded = await storeTexts(effects, open).catch(() => withoutTexts(effects))
    const body: CallEntries["call-effects"] = { call: id, ...recorded }
    return [{ kind: "call-effects", at, body }]
  }

  /** What an envelope has no room for. */
  async function storeOutput(
    printed: PrintedOutput,
  ): Promise<CallEntries["envelope"]["output"] | null> {
    if (printed.bytes <= recordLimits.longOutputBytes) return null
    const whole = printed.whole
    const record = await open()
    // The entry that ends the call reports what a disk refuses here.
    const [head, tail] = await record.putTexts([whole.head, whole.tail]).catch(() => [])
    return head && tail ? { bytes: whole.bytes, head, tail } : null
  }

  return {
    started: (call) => appendBegun(call),
    async asked(call, { fingerprint, prompt, question: text }) {
      const body = { call: call.id, prompt, text, fingerprint }
      await appendBegun(call, { kind: "question", at: clock.now(), body })
    },
    async answered({ id }, answer) {
      await append([{ kind: "answer", at: clock.now(), body: { call: id, answer } }])
      if (answer.kind === "edited" && answer.again) return
      // A question is open only if it was parked.
      const record = await open()
      const asked = (await record.openQuestions()).filter(({ call }) => call === id)
      for (const question of asked) await record.takeAnswer(question.id)
    },
    output(call, { bytes }) {
      const recording = recordingOf(call)
      if (!recording.output) {
        recording.output = new PrintedOutput()
        recording.firstMs = clock.now()
        recording.markedMs = recording.firstMs
      }
      recording.output.add(bytes)
      markLater(call, recording)
      // The entry that ends the call reports what a disk refuses here.
      recording.cancelTimer ??= clock.after(recordLimits.outputMs, () => {
        recordOutput(call, recording).catch(() => {})
      })
    },
    async ended(call, envelope, durationMs) {
      const recording = recordings.get(call.id)
      recordings.delete(call.id)
      recording?.cancelTimer?.()
      recording?.cancelMark?.()
      // A short output is in the envelope.
      if (recording?.wasOutputRecorded) await recordOutput(call.id, recording).catch(() => {})
      const at = clock.now()
      const output = recording?.output ? await storeOutput(recording.output) : null
      const body = { call: call.id, envelope, duration_ms: durationMs, output: output ?? undefined }
      const end: NewEntry = { kind: "envelope", at, body }
      const effects = call.effects ? await effectsEntries(call.id, call.effects, at) : []
      const { tool } = envelope
      if (recording?.isBegun) {
        await appendEnd({ ...end, closes: callKey(call.id) }, { tool, effects })
      } else await append([{ kind: "call", at, body: callBody(call) }, ...effects, end])
    },
  }
}

const lost: FailureDetails = {
  kind: "execution_error",
  message: "The call has ended, but its answer could not be recorded and is lost.",
  retryable: false,
}
