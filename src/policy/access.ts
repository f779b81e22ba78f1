import type { ConfigPath, ToolLists } from "../config/index.ts"
import type { Groups } from "./groups.ts"
import { compileList, findEntry } from "./name-pattern.ts"
import type { Profile } from "./profiles.ts"
import {
  type Caller,
  createRule,
  type Draft,
  type JudgedTool,
  type Opinion,
  type Stage,
} from "./verdict.ts"

/** Which callers may use which tools at all. */
export interface AccessRules {
  readonly profile: Profile
  readonly agents: ReadonlyMap<string, AgentAccess>
  readonly providers: ReadonlyMap<string, Override>
}

export interface AgentAccess extends Override {
  /** Replaces the profile that applies to everyone. */
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
 * Within one level deny wins. A later level overrides, either way, for the tools that it names, and
 * leaves every other tool as it was. A lone `*` names no tool: in `deny` it denies all, but in the
 * `allow` of an agent or a provider it lifts no denial, or `allow: ["*"]` for one provider would undo
 * every profile. To give an agent everything, `toolPolicy: full` says so.
 */
export function judgeAccess(rules: AccessRules, tool: JudgedTool, caller: Caller): Access {
  const agent = caller.agent === undefined ? undefined : rules.agents.get(caller.agent)
  const provider = caller.provider === undefined ? undefined : rules.providers.get(caller.provider)
  const profile = agent?.profile ?? rules.profile
  const steps = [
    step("profile allow", profile.allow(tool)),
    step("profile deny", profile.deny(tool)),
    step("agent", agent?.judge(tool) ?? noOverride("agent", caller.agent)),
    step("provider", provider?.judge(tool) ?? noOverride("provider", caller.provider)),
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

/** What an agent's or a provider's own lists say of a tool. */
interface Override {
  judge(tool: JudgedTool): Opinion
}

interface OverrideSource {
  readonly kind: "agent" | "provider"
  readonly name: string
  readonly lists: ToolLists
  readonly groups: Groups
  readonly path: ConfigPath
}

export function compileOverride({ kind, name, lists, groups, path }: OverrideSource): Override {
  const list = (key: "allow" | "deny", says: string) =>
    compileList(lists[key] ?? [], path.at(key), {
      groups,
      source: kind,
      says: `${kind} ${name} ${says}`,
    })
  const deny = list("deny", "denies")
  const allow = list("allow", "allows")
  const naming = allow.filter(({ pattern }) => !pattern.isEverything)
  const silence = createRule(
    kind,
    naming.length < allow.length
      ? `${kind} ${name} allows *, which names no tool and lifts no denial`
      : `${kind} ${name} does not name it`,
  )
  return {
    judge(tool) {
      const denied = findEntry(deny, tool)
      if (denied) return { says: "deny", rule: denied.rule }
      const allowed = findEntry(naming, tool)
      if (allowed) return { says: "allow", rule: allowed.rule }
      return { says: "nothing", rule: silence }
    },
  }
}
