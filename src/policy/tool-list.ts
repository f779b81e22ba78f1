import { createRule } from "./create-rule.ts"
import type { Groups } from "./groups.ts"
import { compileNamePattern, type NamePattern } from "./name-pattern.ts"
import type { Place } from "./place.ts"
import type { JudgedTool, Rule, RuleSource } from "./verdict.ts"

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
  place: Place,
  { groups, source, says, line, remedy }: ListContext,
): readonly Entry[] {
  return texts.map((text, index) => {
    const here = place.at(index)
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
