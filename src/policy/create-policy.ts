import {
  type ConfigPath,
  checkConfig,
  type PolicyConfig,
  type PolicyFile,
  parseConfig,
  pointerTo,
} from "../config/index.ts"
import { type AccessRules, type AgentAccess, compileOverride, judgeAccess } from "./access.ts"
import { compileArgumentRules } from "./argument-rules.ts"
import { type AutonomyRule, explainCall, type PolicyRules } from "./explain-call.ts"
import { compileGroups, type Groups } from "./groups.ts"
import { compileHooks } from "./hooks.ts"
import { compileProfiles, defaultProfile, type Profiles, requireProfile } from "./profiles.ts"
import { type PolicyChange, suggestChange } from "./suggest-change.ts"
import {
  type Caller,
  createRule,
  type Explanation,
  type JudgedTool,
  locateRules,
  type PolicyQuery,
  type Verdict,
} from "./verdict.ts"

/** Decides about calls. Pure: the same question always has the same answer. */
export interface Policy {
  judge(query: PolicyQuery): Verdict
  /** Every stage's word and which one decided. Without an input, rules on arguments `depend`. */
  explain(query: Omit<PolicyQuery, "input"> & { readonly input?: unknown }): Explanation
  /** The smallest change of the policy that would decide otherwise, tried; null where none is known. */
  suggest?(query: Omit<PolicyQuery, "input"> & { readonly input?: unknown }): PolicyChange | null
  /** Whether a rule looks at a path of the tool, so that a question needs its `start`. */
  judgesPaths?(tool: JudgedTool): boolean
  /** Whether the tool is listed to a model at all. */
  shows(tool: JudgedTool, caller?: Caller): boolean
}

/**
 * Makes a policy of data, written in code or read by `parsePolicyYaml`.
 * Throws a DefinitionError that says where the mistake is.
 */
export function createPolicy(config: PolicyConfig): Policy {
  const rules = compilePolicy(config)
  const file = config.origin?.file
  const explain = (query: PolicyQuery) => locateRules(explainCall(rules, query), file)
  /** Most calls name no agent, and use tools that never change and that no rule on arguments names. */
  const settled = new WeakMap<JudgedTool, Verdict>()
  return {
    judge(query) {
      const { tool, agent, provider } = query
      const isAnybody = agent === undefined && provider === undefined
      const known = isAnybody ? settled.get(tool) : undefined
      if (known) return known
      const { verdict } = explain(query)
      if (isAnybody && Object.isFrozen(tool) && !rules.argumentRules.names(tool)) {
        settled.set(tool, verdict)
      }
      return verdict
    },
    explain: (query) => explain({ ...query, input: query.input }),
    suggest: (query) =>
      suggestChange(config, { ...query, input: query.input }, (changed) => {
        const given = { ...query, input: query.input }
        return explainCall(compilePolicy(changed), given).verdict
      }),
    judgesPaths: (tool) => !settled.has(tool) && rules.argumentRules.judgesPaths(tool),
    shows: (tool, caller = {}) => isShown(rules.access, tool, caller),
  }
}

function isShown(access: AccessRules, tool: JudgedTool, caller: Caller): boolean {
  try {
    return judgeAccess(access, tool, caller).decider.says === "allow"
  } catch {
    // As in a judgement: what can't be decided is refused.
    return false
  }
}

function compilePolicy(config: PolicyConfig): PolicyRules {
  const root = checkConfig(config)
  const tools = root.at("tools")
  const groups = compileGroups(config.tools?.groups ?? {}, tools.at("groups"))
  const profiles = compileProfiles(config.tools?.profiles ?? {}, groups, tools.at("profiles"))
  return {
    access: compileAccess(config, root, { groups, profiles }),
    argumentRules: compileArgumentRules(config.tools?.rules ?? [], groups, tools.at("rules")),
    hooks: compileHooks(config.tools?.hooks ?? {}, groups, tools.at("hooks")),
    autonomyOf: compileAutonomy(config, root),
  }
}

function compileAccess(
  file: PolicyFile,
  root: ConfigPath,
  { groups, profiles }: { readonly groups: Groups; readonly profiles: Profiles },
): AccessRules {
  const profileAt = (name: string, path: ConfigPath) => profiles.find(name, path)
  const agents = Object.entries(file.agents ?? {}).map(([name, lists]): [string, AgentAccess] => {
    const path = root.at("agents").at(name)
    const override = compileOverride({ kind: "agent", name, lists, groups, path })
    const { toolPolicy } = lists
    const profile = toolPolicy === undefined ? null : profileAt(toolPolicy, path.at("toolPolicy"))
    return [name, { ...override, profile }]
  })
  const providers = Object.entries(file.providers ?? {}).map(([name, lists]) => {
    const path = root.at("providers").at(name)
    return [name, compileOverride({ kind: "provider", name, lists, groups, path })] as const
  })
  return {
    profile: profileAt(file.tools?.policy ?? defaultProfile, root.at("tools").at("policy")),
    agents: new Map(agents),
    providers: new Map(providers),
  }
}

function compileAutonomy(file: PolicyFile, root: ConfigPath): PolicyRules["autonomyOf"] {
  const level = file.tools?.autonomy ?? "standard"
  const { line } = root.at("tools").at("autonomy")
  const everyone = { level, rule: createRule("autonomy", `autonomy ${level}`, { line }) }
  const own = new Map<string, AutonomyRule>()
  for (const [name, { autonomy }] of Object.entries(file.agents ?? {})) {
    if (autonomy === undefined) continue
    const text = `autonomy ${autonomy} of agent ${name}`
    const { line } = root.at("agents").at(name).at("autonomy")
    own.set(name, { level: autonomy, rule: createRule("autonomy", text, { line }) })
  }
  return (agent) => (agent === undefined ? everyone : (own.get(agent) ?? everyone))
}

/**
 * Parses and checks a toolkeep.yaml. Every mistake in it is a DefinitionError of one sentence that names the file,
 * the line and the key.
 */
export async function parsePolicyYaml(
  text: string,
  fileName = "toolkeep.yaml",
): Promise<PolicyConfig> {
  const config = await parseConfig(text, fileName)
  createPolicy(config)
  return config
}

/** A built-in profile and nothing else: "coding". */
export function policyOfProfile(name: string): Policy {
  requireProfile(name)
  return createPolicy({ tools: { policy: name } })
}

/** The same policy with another default profile, as when an option beats the file. */
export function withProfile(config: PolicyConfig, name: string): PolicyConfig {
  requireProfile(name, config.tools?.profiles)
  const { origin, ...file } = config
  const chosen: PolicyConfig = { ...file, tools: { ...file.tools, policy: name } }
  if (!origin) return chosen
  const lines = new Map(origin.lines)
  // The choice stands in no line of the file any more.
  lines.delete(pointerTo(["tools", "policy"]))
  return { ...chosen, origin: { ...origin, lines } }
}
