import type { Rule, RuleSource } from "./verdict.ts"

/** Leaves out what is not there, so that rules compare and print as plain data. */
export function createRule(
  source: RuleSource,
  text: string,
  details: { readonly because?: string | undefined; readonly line?: number | undefined } = {},
): Rule {
  const { because, line } = details
  return Object.freeze({
    source,
    text,
    ...(because === undefined ? {} : { because }),
    ...(line === undefined ? {} : { line }),
  })
}
