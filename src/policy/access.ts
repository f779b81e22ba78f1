import { createRule } from "./create-rule.ts"
import type { Override } from "./override.ts"
import type { Profile } from "./profiles.ts"
import type { Asker, Draft, JudgedTool, Opinion, Stage } from "./verdict.ts"

/** Who may use which tools at all. */
export interface AccessRules {
  readonly profile: Profile
  readonly agents: ReadonlyMap<string, AgentAccess>
  readonly providers: ReadonlyMap<string, Override>
}

export interface AgentAccess extends Override {
  /** Takes the place of everyone's profile. */
  readonly profile: Profile | null
}

export interface Access {
  readonly steps: readonly Draft[]
  /** The step that decided, which says allow or deny. */
  readonly decider: Draft
}

/**
 * Whether a tool may be used at all, level by level:
 *
 *     profile    the tool must be in `allow` and not in `deny`
 *     agent      its `toolPolicy` takes the profile's place; then its `deny` denies, its `allow` allows
 *     provider   its `deny` denies, its `allow` allows
 *
 * Within one level deny wins. A later level decides anew, either way, for the tools that it names, and
 * leaves every other tool as it was. A lone `*` names no tool: in `deny` it denies all, but in the
 * `allow` of an agent or a provider it lifts no denial, or `allow: ["*"]` for one provider would undo
 * every profile. To give an agent everything, `toolPolicy: full` says so.
 */
export function judgeAccess(rules: AccessRules, tool: JudgedTool, asker: Asker): Access {
  const isAnybody = asker.agent === undefined && asker.provider === undefined
  return isAnybody && Object.isFrozen(tool)
    ? accessOfAnybody(rules, tool)
    : decide(rules, tool, asker)
}

/** Most calls are made in nobody's name, of tools that never change: those are decided on once. */
function accessOfAnybody(rules: AccessRules, tool: JudgedTool): Access {
  const decided = decidedOn.get(rules) ?? new WeakMap<JudgedTool, Access>()
  decidedOn.set(rules, decided)
  const access = decided.get(tool) ?? decide(rules, tool, {})
  decided.set(tool, access)
  return access
}

const decidedOn = new WeakMap<AccessRules, WeakMap<JudgedTool, Access>>()

function decide(rules: AccessRules, tool: JudgedTool, asker: Asker): Access {
  const agent = asker.agent === undefined ? undefined : rules.agents.get(asker.agent)
  const provider = asker.provider === undefined ? undefined : rules.providers.get(asker.provider)
  const profile = agent?.profile ?? rules.profile
  const steps = [
    step("profile allow", profile.allow(tool)),
    step("profile deny", profile.deny(tool)),
    step("agent", agent?.judge(tool) ?? noOverride("agent", asker.agent)),
    step("provider", provider?.judge(tool) ?? noOverride("provider", asker.provider)),
  ] as const
  const decider = steps.findLast(({ says }) => says !== "nothing") ?? steps[0]
  return { steps, decider }
}

function step(stage: Stage, opinion: Opinion): Draft {
  return { stage, says: opinion.says, rule: opinion.rule }
}

function noOverride(kind: "agent" | "provider", name: string | undefined): Opinion {
  const text = name === undefined ? `no ${kind} is named` : `${kind} ${name} has no override`
  return { says: "nothing", rule: createRule(kind, text) }
}
