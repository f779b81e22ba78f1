import type { Groups } from "./groups.ts"
import { type Place, quote } from "./place.ts"
import type { JudgedTool } from "./verdict.ts"

/** A name, a pattern with `*`, or a group, ready to be compared. */
export interface NamePattern {
  readonly text: string
  /** `*`: every tool, and so none in particular. */
  readonly isEverything: boolean
  /** A name is more specific than a pattern, a pattern than a group, and `*` is the least. */
  readonly specificity: number
  matches(tool: JudgedTool): boolean
}

const groupPrefix = "group:"

export function compileNamePattern(text: string, groups: Groups, place: Place): NamePattern {
  if (!text.startsWith(groupPrefix)) return compileStars(text, place)
  const isMember = groups.membership(text.slice(groupPrefix.length), place)
  return { text, isEverything: false, specificity: 0.5, matches: isMember }
}

/** Anchored at both ends; every character but `*` stands for itself. */
export function compileStars(text: string, place: Place): NamePattern {
  // What no tool's name can match is a slip of the pen, and would leave a door open in silence.
  if (!/^[A-Za-z0-9_.:*-]+$/.test(text)) {
    place.fail(
      `is ${quote(text)}, which is no tool name, pattern ("file.*") or group ("group:fs").`,
    )
  }
  const pieces = text.split("*")
  const literals = text.length - (pieces.length - 1)
  if (pieces.length === 1) {
    return {
      text,
      isEverything: false,
      specificity: Number.MAX_SAFE_INTEGER,
      matches: (tool) => tool.name === text,
    }
  }
  return {
    text,
    isEverything: literals === 0,
    specificity: literals,
    matches: (tool) => matchesPieces(pieces, tool.name),
  }
}

/** Each piece is taken where it first occurs, so the work is one pass over the name. */
function matchesPieces(pieces: readonly string[], name: string): boolean {
  const first = pieces[0] as string
  const last = pieces.at(-1) as string
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let from = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, from)
    if (found < 0) return false
    from = found + piece.length
  }
  return from <= name.length - last.length
}
