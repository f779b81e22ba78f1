import { type ConfigPath, quote } from "../config/index.ts"
import type { Groups } from "./groups.ts"
import { createRule, type JudgedTool, type Rule, type RuleSource } from "./verdict.ts"

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

export function compileNamePattern(text: string, groups: Groups, path: ConfigPath): NamePattern {
  if (!text.startsWith(groupPrefix)) return compileStars(text, path)
  const isMember = groups.membership(text.slice(groupPrefix.length), path)
  return { text, isEverything: false, specificity: 0.5, matches: isMember }
}

/** Anchored at both ends; every character but `*` stands for itself. */
export function compileStars(text: string, path: ConfigPath): NamePattern {
  // What no tool's name can match is a slip of the pen, and would leave a door open in silence.
  if (!/^[A-Za-z0-9_.:*-]+$/.test(text)) {
    path.fail(
      `is ${quote(text)}, which is not a tool name, a pattern ("file.*") or a group ("group:fs").`,
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

/** A pattern in a list, with the rule that it stands for. */
export interface Entry {
  readonly pattern: NamePattern
  readonly rule: Rule
}

export interface ListContext {
  readonly groups: Groups
  readonly source: RuleSource
  /** How the rule's text begins: `profile coding denies`. */
  readonly says: string
  /** The line to name when the list itself is in no file. */
  readonly line?: number | undefined
  /** What a person can do where the rule denies. */
  readonly remedy?: string | undefined
}

export function compileList(
  texts: readonly string[],
  path: ConfigPath,
  { groups, source, says, line, remedy }: ListContext,
): readonly Entry[] {
  return texts.map((text, index) => {
    const here = path.at(index)
    return {
      pattern: compileNamePattern(text, groups, here),
      rule: createRule(source, `${says} ${text}`, { line: line ?? here.line, remedy }),
    }
  })
}

export function findEntry(entries: readonly Entry[], tool: JudgedTool): Entry | undefined {
  for (const entry of entries) if (entry.pattern.matches(tool)) return entry
  return undefined
}
