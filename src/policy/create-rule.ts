import type { Rule, RuleSource } from "./verdict.ts"

interface RuleDetails {
  readonly because?: string | undefined
  readonly remedy?: string | undefined
  readonly line?: number | undefined
}

/** Leaves out what is not there, so that rules compare and print as plain data. */
export function createRule(source: RuleSource, text: string, details: RuleDetails = {}): Rule {
  const { because, remedy, line } = details
  return Object.freeze({
    source,
    text,
    ...(because === undefined ? {} : { because }),
    ...(remedy === undefined ? {} : { remedy }),
    ...(line === undefined ? {} : { line }),
  })
}
