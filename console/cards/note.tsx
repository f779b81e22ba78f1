import type { NoteCard } from "../model/card.ts"
import { numberOf, textOf } from "../model/read-field.ts"
import { ShownText } from "../parts/text/shown-text.tsx"
import { Clock } from "../parts/time.tsx"

/** What is neither a call nor said by somebody, in one line. */
export function Note({ note }: { readonly note: NoteCard }) {
  return (
    <p class="note">
      <ShownText text={noteText(note)} /> <Clock ms={note.atMs} />
    </p>
  )
}

function noteText({ about, body }: NoteCard): string {
  switch (about) {
    case "run":
      return `A run began with ${textOf(body, "model") ?? "a model"}.`
    case "run-ended":
      return endText(textOf(body, "why") ?? "no reason", body)
    case "branched":
      return `The session goes on from entry ${numberOf(body, "from") ?? "?"}.`
    default:
      return about
  }
}

/** What a model said at the end of its work is in its message; other endings have their reason here. */
function endText(why: string, body: unknown): string {
  const reason = why === "failed" || why === "limit" ? textOf(body, "text") : null
  const end = `The run ended: ${textOf(body, "limit") ?? why}.`
  return reason === null || reason === "" ? end : `${end} ${reason}`
}
