import { type ArgumentField, compileField } from "./argument-field.ts"
import { createMatcher, ExpressionError, type Matcher } from "./create-matcher.ts"
import { createRule } from "./create-rule.ts"
import type { Groups } from "./groups.ts"
import { compileNamePattern, type NamePattern } from "./name-pattern.ts"
import { type Place, quote } from "./place.ts"
import type { RuleConfig } from "./policy-schema.ts"
import type { Draft, JudgedTool, Rule } from "./verdict.ts"

type RuleKind = "deny" | "ask" | "allow"

/** The order in which they count: the strictest first. */
const kinds: readonly RuleKind[] = ["deny", "ask", "allow"]

interface ArgumentRule {
  readonly kind: RuleKind
  readonly pattern: NamePattern
  readonly conditions: readonly Condition[]
  readonly rule: Rule
}

interface Condition {
  readonly values: ArgumentField
  readonly matcher: Matcher
}

/** Judges a call by its arguments; without an input, each rule for the tool `depends`. */
export type ArgumentJudge = (tool: JudgedTool, input: unknown) => readonly Draft[]

export function compileArgumentRules(
  configs: readonly RuleConfig[],
  groups: Groups,
  place: Place,
): ArgumentJudge {
  const rules = configs
    .map((config, index) => compileRule(config, groups, place.at(index)))
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
  return (tool, input) => {
    const meant = rules.filter((rule) => rule.pattern.matches(tool))
    return meant.map((rule) => judgeByRule(rule, input))
  }
}

function compileRule(config: RuleConfig, groups: Groups, place: Place): ArgumentRule {
  const kind = kinds.find((one) => config[one] !== undefined) ?? "deny"
  const target = config[kind] ?? ""
  const fields = Object.entries(config.when)
  const conditions = fields.map(([field, source]) => ({
    values: compileField(field, place.at("when").at(field)),
    matcher: compileMatcher(source, place.at("when").at(field)),
  }))
  const when = fields.map(([field, source]) => `${field} matches ${quote(source)}`).join(" and ")
  return {
    kind,
    pattern: compileNamePattern(target, groups, place.at(kind)),
    conditions,
    rule: createRule("argument", `rule ${kind} ${target} when ${when}`, {
      because: config.because,
      line: place.line,
    }),
  }
}

function compileMatcher(source: string, place: Place): Matcher {
  try {
    return createMatcher(source)
  } catch (error) {
    if (error instanceof ExpressionError) return place.fail(`${error.message}.`)
    throw error
  }
}

function judgeByRule(rule: ArgumentRule, input: unknown): Draft {
  const stage = "arguments"
  if (input === undefined) return { stage, says: "depends", rule: rule.rule }
  const matches = rule.conditions.every((one) => conditionHolds(one, rule.kind, input))
  return { stage, says: matches ? rule.kind : "nothing", rule: rule.rule }
}

/** One bad entry is enough to deny or ask; to allow, every entry has to be good. */
function conditionHolds({ values, matcher }: Condition, kind: RuleKind, input: unknown): boolean {
  const texts = values(input)
  const matches = (text: string) => matcher.test(text)
  return kind === "allow" ? texts.length > 0 && texts.every(matches) : texts.some(matches)
}
