import { recordLimits } from "../limits.ts"
import { parentOf } from "./appended-entries.ts"
import type { PackedEntry, Row } from "./record-rows.ts"

/** What this process has written of sessions that somebody in it follows, as it would be read from the file. */
export interface RecentEntries {
  /** Holds what is written from now on; the returned function ends that. */
  hold(session: number): () => void
  /** `rows` is asked only where somebody follows. */
  add(session: number, rows: () => readonly WrittenRow[]): void
  /** All after a number; null where the file has to be read for them. */
  after(session: number, sequence: number): readonly Row[] | null
}

export interface WrittenRow extends Row {
  readonly sequence: number
  readonly body: string
}

interface Held {
  followers: number
  rows: WrittenRow[]
  characters: number
}

/** Reading each entry back for those who follow it costs as much as writing it (bench: streams-calls). */
export function createRecentEntries(): RecentEntries {
  const sessions = new Map<number, Held>()
  return {
    hold(session) {
      const held = sessions.get(session) ?? { followers: 0, rows: [], characters: 0 }
      sessions.set(session, held)
      held.followers += 1
      return () => {
        held.followers -= 1
        if (held.followers === 0) sessions.delete(session)
      }
    },
    add(session, rows) {
      const held = sessions.get(session)
      if (held) for (const row of rows()) addRow(held, row)
    },
    after(session, sequence) {
      const rows = sessions.get(session)?.rows ?? []
      const [first] = rows
      if (!first || first.sequence > sequence + 1) return null
      const found = rows.slice(sequence + 1 - first.sequence)
      return found.length === 0 ? null : found
    },
  }
}

/** The rows have no gap: another process may have written in between. */
function addRow(held: Held, row: WrittenRow): void {
  const { rows } = held
  const isNext = rows.at(-1)?.sequence === row.sequence - 1
  if (!isNext) {
    rows.length = 0
    held.characters = 0
  }
  rows.push(row)
  held.characters += row.body.length
  while (held.characters > recordLimits.recentCharacters) {
    held.characters -= rows.shift()?.body.length ?? 0
  }
}

/** Rows as they are read after they were written behind the entry with the number `before`. */
export function writtenRows(rows: readonly PackedEntry[], before: number): readonly WrittenRow[] {
  return rows.map(({ entry, text }, index) => {
    const { kind, at, isMilestone } = entry
    const sequence = before + index + 1
    const parent = parentOf(entry.parent, sequence)
    return { sequence, parent, kind, at_ms: at, milestone: isMilestone ? 1 : null, body: text }
  })
}
