import { type Envelope, isObject } from "../../contract/index.ts"
import type { CallOutput, RecordReader } from "../../store/index.ts"
import { findCall } from "./find-call.ts"

/** A long output: its size, and its beginning and end as texts that are stored apart, by their hashes. */
export interface StoredOutput {
  readonly bytes: number
  readonly head: string
  readonly tail: string
}

export interface OutputRange {
  /** The first byte; from the end where it is negative. */
  readonly from: number
  readonly bytes: number
}

/** A part of what a call printed. Positions are bytes of its text in UTF-8. */
export interface OutputPart {
  /** Where the text begins: later than asked for, where that is not recorded or within a character. */
  readonly from: number
  readonly text: string
  /** Where to go on; the size of the whole where there is no more. */
  readonly next: number
  /** How much was printed in all. */
  readonly size: number
  /** What is not recorded; null where all of it is. */
  readonly missing: { readonly from: number; readonly to: number } | null
}

/** A part of what a call has printed, as far as it is recorded. */
export async function readOutput(
  reader: RecordReader,
  call: { readonly id: string; readonly isRunning: boolean },
  range: OutputRange,
): Promise<OutputPart> {
  const running = await reader.output(call.id)
  if (call.isRunning) return partOf(running ?? nothing, range)
  const ended = (await findCall(reader, call.id))?.end ?? {}
  return partOf((await storedOutput(reader, ended)) ?? running ?? printedIn(ended), range)
}

const nothing: CallOutput = { head: "", tail: "", bytes: 0 }

/** What the entry of a call's end says of its output. */
interface Ended {
  readonly envelope?: Envelope
  readonly output?: StoredOutput
}

/** What was too much for the envelope. */
async function storedOutput(reader: RecordReader, { output }: Ended): Promise<CallOutput | null> {
  if (!output) return null
  const [head, tail] = [await reader.text(output.head), await reader.text(output.tail)]
  return head === null || tail === null ? null : { head, tail, bytes: output.bytes }
}

/** A short output is in the envelope only, one stream after the other. */
function printedIn({ envelope }: Ended): CallOutput {
  const result = envelope?.ok ? envelope.result : null
  if (!isObject(result)) return nothing
  const texts = [result.stdout, result.stderr].filter((one) => typeof one === "string")
  const head = texts.join("")
  return { head, tail: "", bytes: Buffer.byteLength(head) }
}

function partOf({ head, tail, bytes }: CallOutput, { from, bytes: most }: OutputRange): OutputPart {
  const [start, end] = [Buffer.from(head), Buffer.from(tail)]
  const size = Math.max(bytes, start.length + end.length)
  const endFrom = size - end.length
  const missing = start.length === endFrom ? null : { from: start.length, to: endFrom }
  const wanted = from < 0 ? Math.max(0, size + from) : Math.min(from, size)
  const parts = missing
    ? [
        { at: 0, text: start },
        { at: endFrom, text: end },
      ]
    : [{ at: 0, text: Buffer.concat([start, end]) }]
  const part = parts.find(({ at, text }) => wanted < at + text.length)
  if (!part) return { from: size, text: "", next: size, size, missing }
  const first = wholeCharacter(part.text, Math.max(0, wanted - part.at))
  const last = wholeCharacter(part.text, Math.min(part.text.length, first + most))
  const text = part.text.toString("utf8", first, last)
  return { from: part.at + first, text, next: part.at + last, size, missing }
}

/** This place, or the next where a character begins. */
function wholeCharacter(text: Buffer, from: number): number {
  let at = from
  while (at < text.length && ((text[at] ?? 0) & 0xc0) === 0x80) at += 1
  return at
}
