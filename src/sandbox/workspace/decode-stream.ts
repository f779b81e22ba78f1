import { omissionNote, trimEndToCharacter, trimStartToCharacter } from "../../contract/index.ts"
import type { CapturedStream } from "../host/operation.ts"

// A byte order mark is part of the text: what was read must be what is written back.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A captured stream as text: where bytes were dropped, a line says how many. */
export function decodeStream(stream: CapturedStream): { text: string; bytes: Uint8Array } {
  const { head, tail, omitted } = stream
  const bytes = new Uint8Array(head.length + tail.length)
  bytes.set(head)
  bytes.set(tail, head.length)
  if (omitted === 0) return { text: decoder.decode(bytes), bytes }
  const start = decoder.decode(trimEndToCharacter(head))
  const end = decoder.decode(trimStartToCharacter(tail))
  return { text: `${start}${omissionNote(omitted)}${end}`, bytes }
}
