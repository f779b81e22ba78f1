import { type Autonomy, quote } from "../config/index.ts"
import { errorText } from "../kit/index.ts"
import { type AccessRules, judgeAccess } from "./access.ts"
import { defaultStart } from "./argument-field.ts"
import type { ArgumentJudge } from "./argument-rules.ts"
import type { Grant } from "./grants.ts"
import { type Action, applyAutonomy, type Hooks } from "./hooks.ts"
import {
  createRule,
  type Draft,
  type Explanation,
  type JudgedTool,
  type PolicyQuery,
  type Rule,
  type Says,
  type Stage,
  type Verdict,
} from "./verdict.ts"

export interface PolicyRules {
  readonly access: AccessRules
  readonly argumentRules: ArgumentJudge
  readonly hooks: Hooks
  readonly autonomyOf: (agent: string | undefined) => AutonomyRule
}

export interface AutonomyRule {
  readonly level: Autonomy
  readonly rule: Rule
}

/** The only way to a verdict: access, then arguments, then hooks and autonomy. Denies on any error. */
export function explainCall(rules: PolicyRules, query: PolicyQuery): Explanation {
  try {
    const access = judgeAccess(rules.access, query.tool, query)
    if (access.decider.says === "deny") {
      const rest = [unreached("arguments"), unreached("hooks"), unreached("autonomy")]
      return conclude(query.tool, ...withGrants(query, [...access.steps, ...rest], access.decider))
    }
    const { tool, input, start = defaultStart, sandbox } = query
    const byArguments = rules.argumentRules.judge({ tool, input, start, sandbox })
    const steps = [...access.steps, ...(byArguments.length > 0 ? byArguments : [noArgumentRule])]
    const strict = byArguments.find(({ says }) => says === "deny" || says === "ask")
    if (strict) {
      const rest = [unreached("hooks"), unreached("autonomy")]
      return conclude(query.tool, ...withGrants(query, [...steps, ...rest], strict))
    }

    const [hook, autonomy] = judgeHooks(rules, query)
    const last = [autonomy, hook, access.decider].find(({ says }) => says !== "nothing")
    // An allowing rule answers for the person who would be query; it is then written down.
    const granting = byArguments.find(({ says }) => says === "allow")
    const decider = last?.says === "ask" && granting ? granting : (last ?? access.decider)
    return conclude(query.tool, ...withGrants(query, [...steps, hook, autonomy], decider))
  } catch (error) {
    return denyOnError(error)
  }
}

const noArgumentRule: Draft = {
  stage: "arguments",
  says: "nothing",
  rule: createRule("argument", "no rule on arguments names it"),
}

function unreached(stage: Stage): Draft {
  return { stage, says: "nothing", rule: notReached }
}

const notReached = createRule("default", "not reached")

const saying: Readonly<Record<Action, Says>> = { confirm: "ask", log: "log", silent: "allow" }

function judgeHooks(rules: PolicyRules, { tool, agent }: PolicyQuery): readonly [Draft, Draft] {
  const hook = rules.hooks(tool)
  const autonomy = rules.autonomyOf(agent)
  const action = applyAutonomy(autonomy.level, hook.action, tool)
  const changed = action !== hook.action
  return [
    { stage: "hooks", says: hook.named ? saying[hook.action] : "nothing", rule: hook.rule },
    { stage: "autonomy", says: changed ? saying[action] : "nothing", rule: autonomy.rule },
  ]
}

/** A person's answer for the whole session stands for the one that would be asked for now. */
function withGrants(
  { tool, sandbox = "default", grants }: PolicyQuery,
  steps: readonly Draft[],
  decider: Draft,
): [readonly Draft[], Draft] {
  if (!grants) return [steps, decider]
  const isMeant = (grant: Grant) =>
    grant.tool === tool.name &&
    grant.rule === decider.rule.text &&
    (grant.sandbox ?? sandbox) === sandbox
  const found = decider.says === "ask" && grants.some(isMeant)
  const step: Draft = {
    stage: "grants",
    says: found ? "allow" : "nothing",
    rule: grantRules[`${found}`],
  }
  return [[...steps, step], found ? step : decider]
}

const grantRules = {
  true: createRule("grant", "a person allowed it always for this session"),
  false: createRule("grant", "no grant of this session is for it"),
}

function conclude(tool: JudgedTool, drafts: readonly Draft[], decider: Draft): Explanation {
  return {
    verdict: verdictOf(tool, decider),
    dependsOnArguments: drafts.some(({ says }) => says === "depends"),
    steps: drafts.map((draft) => ({ ...draft, decided: draft === decider })),
  }
}

function verdictOf(tool: JudgedTool, { stage, says, rule }: Draft): Verdict {
  const because = rule.because === undefined ? "" : ` ${rule.because}`
  const remedy = rule.remedy === undefined ? "" : ` ${rule.remedy}`
  switch (says) {
    case "deny": {
      const what = stage === "arguments" ? `${tool.name} with these arguments` : tool.name
      return {
        kind: "deny",
        rule,
        message: `Policy does not allow ${what}: ${rule.text}.${because}${remedy}`,
      }
    }
    case "ask":
      return { kind: "ask", rule, prompt: `May ${tool.name} run?${because} (${rule.text})` }
    case "log":
      return { kind: "allow", log: true, rule }
    case "allow":
      return { kind: "allow", log: stage === "arguments", rule }
    case "depends":
    case "nothing":
      throw new Error(`a step that says ${says} can't decide`)
    default:
      return says satisfies never
  }
}

/** Fails closed: whatever goes wrong while judging, the call does not run. */
function denyOnError(error: unknown): Explanation {
  const reason = errorText(error)
  const rule = createRule("default", `the policy could not judge the call: ${quote(reason)}`)
  return {
    verdict: { kind: "deny", rule, message: `This call is refused, because ${rule.text}.` },
    dependsOnArguments: false,
    steps: [],
  }
}
