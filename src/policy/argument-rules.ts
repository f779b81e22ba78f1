import { type ConfigPath, quote, type RuleConfig } from "../config/index.ts"
import {
  type ArgumentField,
  compileField,
  everyPath,
  type JudgedArguments,
  takesPaths,
} from "./argument-field.ts"
import { createMatcher, type Matcher } from "./create-matcher.ts"
import type { Groups } from "./groups.ts"
import { compileNamePattern, type NamePattern } from "./name-pattern.ts"
import { createRule, type Draft, type JudgedTool, type Rule } from "./verdict.ts"

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
  readonly field: string
  readonly values: ArgumentField
  readonly matches: Matcher
}

export interface ArgumentJudge {
  /** Judges a call by its arguments; without an input, each rule for the tool `depends`. */
  judge(call: JudgedArguments): readonly Draft[]
  /** Whether a rule is for the tool. */
  names(tool: JudgedTool): boolean
  /** Whether a rule looks at a path of the tool, so that it matters where paths start. */
  judgesPaths(tool: JudgedTool): boolean
}

export function compileArgumentRules(
  configs: readonly RuleConfig[],
  groups: Groups,
  path: ConfigPath,
): ArgumentJudge {
  const rules = configs
    .map((config, index) => compileRule(config, groups, path.at(index)))
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
  const rulesFor = (tool: JudgedTool) => rules.filter((rule) => rule.pattern.matches(tool))
  return {
    judge: (call) => rulesFor(call.tool).map((rule) => judgeByRule(rule, call)),
    names: (tool) => rules.some((rule) => rule.pattern.matches(tool)),
    judgesPaths: (tool) =>
      takesPaths(tool) &&
      rulesFor(tool).some(({ conditions }) =>
        conditions.some(
          ({ field }) => field === everyPath || tool.pathArguments?.includes(field) === true,
        ),
      ),
  }
}

function compileRule(config: RuleConfig, groups: Groups, path: ConfigPath): ArgumentRule {
  const kind = kinds.find((one) => config[one] !== undefined) ?? "deny"
  const target = config[kind] ?? ""
  const fields = Object.entries(config.when)
  const conditions = fields.map(([field, source]) => ({
    field,
    values: compileField(field, path.at("when").at(field)),
    matches: createMatcher(source, path.at("when").at(field)),
  }))
  const when = fields.map(([field, source]) => `${field} matches ${quote(source)}`).join(" and ")
  return {
    kind,
    pattern: compileNamePattern(target, groups, path.at(kind)),
    conditions,
    rule: createRule("argument", `rule ${kind} ${target} when ${when}`, {
      because: config.because,
      line: path.line,
    }),
  }
}

function judgeByRule(rule: ArgumentRule, call: JudgedArguments): Draft {
  const stage = "arguments"
  if (call.input === undefined) return { stage, says: "depends", rule: rule.rule }
  const matches = rule.conditions.every((one) => conditionHolds(one, rule.kind, call))
  return { stage, says: matches ? rule.kind : "nothing", rule: rule.rule }
}

/** One bad entry is enough to deny or ask; to allow, every entry has to be good. */
function conditionHolds(
  { values, matches }: Condition,
  kind: RuleKind,
  call: JudgedArguments,
): boolean {
  const found = values(call)
  const isMatched = (forms: readonly string[]) => forms.some(matches)
  return kind === "allow" ? found.length > 0 && found.every(isMatched) : found.some(isMatched)
}
