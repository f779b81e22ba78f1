import type { Entry } from "./card.ts"
import { fieldOf, textOf } from "./read-field.ts"

/** A piece of what the model writes, and the last entry of the session when it came. */
export interface DraftPiece {
  readonly after: number
  readonly text: string
}

/** What a model has written and nobody has recorded yet, in order. */
export type Draft = readonly DraftPiece[]

export interface DraftEvent extends DraftPiece {
  /** It takes the place of what came before. */
  readonly is_whole: boolean
}

export function withText(draft: Draft, { after, text, is_whole }: DraftEvent): Draft {
  const kept = is_whole ? [] : draft
  const last = kept.at(-1)
  if (last?.after !== after) return [...kept, { after, text }]
  return [...kept.slice(0, -1), { after, text: last.text + text }]
}

/** What is left of it when an entry has come: the model's message has what was written before it. */
export function withoutRecorded(draft: Draft, { kind, sequence, body }: Entry): Draft {
  if (draft.length === 0) return draft
  if (kind === "run-ended") return []
  const isAnswer = kind === "message" && textOf(fieldOf(body, "message"), "role") === "assistant"
  return isAnswer ? draft.filter(({ after }) => after >= sequence) : draft
}
