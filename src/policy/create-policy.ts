import { type AccessRules, type AgentAccess, judgeAccess } from "./access.ts"
import { compileArgumentRules } from "./argument-rules.ts"
import { checkShape, isMapping } from "./check-shape.ts"
import { createRule } from "./create-rule.ts"
import { type AutonomyRule, explainCall, type PolicyRules } from "./explain-call.ts"
import { compileGroups, type Groups } from "./groups.ts"
import { compileHooks } from "./hooks.ts"
import { compileOverride } from "./override.ts"
import { type Place, rootPlace } from "./place.ts"
import { type PolicyConfig, type PolicyFile, policySchema } from "./policy-schema.ts"
import { compileProfiles, defaultProfile, type Profiles } from "./profiles.ts"
import type { Asked, Asker, Explanation, JudgedTool, Verdict } from "./verdict.ts"

/** Decides about calls. Pure: the same question always has the same answer. */
export interface Policy {
  judge(asked: Asked): Verdict
  /** Every stage's word and which one decided. Without an input, rules on arguments `depend`. */
  explain(asked: Omit<Asked, "input"> & { readonly input?: unknown }): Explanation
  /** Whether a rule looks at a path of the tool, so that a question needs its `start`. */
  judgesPaths?(tool: JudgedTool): boolean
  /** Whether the tool is listed to a model at all. */
  shows(tool: JudgedTool, asker?: Asker): boolean
}

/**
 * Makes a policy of data, written in code or read by `parsePolicyYaml`.
 * Throws a DefinitionError that says where the mistake is.
 */
export function createPolicy(config: PolicyConfig): Policy {
  const rules = compilePolicy(config)
  return {
    judge: (asked) => explainCall(rules, asked).verdict,
    explain: (asked) => explainCall(rules, { ...asked, input: asked.input }),
    judgesPaths: rules.argumentRules.judgesPaths,
    shows: (tool, asker = {}) => isShown(rules.access, tool, asker),
  }
}

function isShown(access: AccessRules, tool: JudgedTool, asker: Asker): boolean {
  try {
    return judgeAccess(access, tool, asker).decider.says === "allow"
  } catch {
    // As in a judgement: what can't be decided is refused.
    return false
  }
}

function compilePolicy(config: PolicyConfig): PolicyRules {
  if (!isMapping(config)) rootPlace().fail("must be a mapping.")
  const { origin, ...file } = config
  const root = rootPlace(origin)
  checkShape(file, policySchema, root)
  const tools = root.at("tools")
  const groups = compileGroups(file.tools?.groups ?? {}, tools.at("groups"))
  const profiles = compileProfiles(file.tools?.profiles ?? {}, groups, tools.at("profiles"))
  return {
    access: compileAccess(file, root, { groups, profiles }),
    argumentRules: compileArgumentRules(file.tools?.rules ?? [], groups, tools.at("rules")),
    hooks: compileHooks(file.tools?.hooks ?? {}, groups, tools.at("hooks")),
    autonomyOf: compileAutonomy(file, root),
  }
}

function compileAccess(
  file: PolicyFile,
  root: Place,
  { groups, profiles }: { readonly groups: Groups; readonly profiles: Profiles },
): AccessRules {
  const profileAt = (name: string, place: Place) => profiles.find(name, place)
  const agents = Object.entries(file.agents ?? {}).map(([name, lists]): [string, AgentAccess] => {
    const place = root.at("agents").at(name)
    const override = compileOverride({ kind: "agent", name, lists, groups, place })
    const { toolPolicy } = lists
    const profile = toolPolicy === undefined ? null : profileAt(toolPolicy, place.at("toolPolicy"))
    return [name, { ...override, profile }]
  })
  const providers = Object.entries(file.providers ?? {}).map(([name, lists]) => {
    const place = root.at("providers").at(name)
    return [name, compileOverride({ kind: "provider", name, lists, groups, place })] as const
  })
  return {
    profile: profileAt(file.tools?.policy ?? defaultProfile, root.at("tools").at("policy")),
    agents: new Map(agents),
    providers: new Map(providers),
  }
}

function compileAutonomy(file: PolicyFile, root: Place): PolicyRules["autonomyOf"] {
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
