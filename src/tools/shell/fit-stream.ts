import { cutText, omissionNote } from "../../contract/index.ts"
import { commandLimits } from "../limits.ts"

/**
 * A command's stream, cut to its size. One that was cut before has a note in its middle: it has room
 * for that, and where it must be cut again (bytes that are no text grow when decoded), the note that
 * goes is counted in the one that comes.
 */
export function fitStream(text: string, omitted: number): string {
  const { streamBytes } = commandLimits
  if (omitted === 0) return cutText(text, streamBytes).text
  const note = omissionNote(omitted)
  const cut = cutText(text, streamBytes + note.length)
  if (cut.omittedBytes === 0) return text
  const hidden = cut.omittedBytes - note.length + omitted
  return cut.text.replace(omissionNote(cut.omittedBytes), omissionNote(hidden))
}
