import { isObject } from "../../contract/index.ts"
import type { RecordReader } from "../../store/index.ts"
import { changesLimits } from "./limits.ts"

/** What a person said, and all that was done until they said something again. */
export interface Turn {
  /** The number of the entry that it begins with. */
  readonly turn: number
  readonly at: number
  /** The beginning of what was said. */
  readonly text: string
}

/** The turns of a session, in their order; none where only calls were recorded. */
export async function readTurns(reader: RecordReader): Promise<readonly Turn[]> {
  const turns: Turn[] = []
  for (let after = 0; ; ) {
    const page = await reader.entries({ after, milestones: true })
    for (const { kind, sequence, at, body } of page) {
      const message = kind === "message" && isObject(body) ? body.message : null
      if (!isObject(message) || message.role !== "user") continue
      turns.push({ turn: sequence, at, text: textOf(message.content) })
    }
    const newest = page.at(-1)
    if (!newest) return turns
    after = newest.sequence
  }
}

/** Between which entries the turn is that an entry is in. */
export function turnAround(
  turns: readonly Turn[],
  entry: number,
): { readonly after: number; readonly before: number } | null {
  const index = turns.findLastIndex(({ turn }) => turn <= entry)
  const found = turns[index]
  if (!found) return null
  return { after: found.turn, before: turns[index + 1]?.turn ?? Number.POSITIVE_INFINITY }
}

function textOf(content: unknown): string {
  const parts = Array.isArray(content) ? content : []
  const texts = parts.flatMap((part: unknown) =>
    isObject(part) && typeof part.text === "string" ? [part.text] : [],
  )
  return texts.join(" ").slice(0, changesLimits.turnCharacters)
}
