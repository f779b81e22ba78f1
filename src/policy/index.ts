export { checkNames, unknownNames } from "./check-names.ts"
export { policyOfProfile, withProfile } from "./choose-profile.ts"
export { createPolicy, type Policy } from "./create-policy.ts"
export { parsePolicyYaml } from "./parse-policy-yaml.ts"
export { parseYaml } from "./parse-yaml.ts"
export type { PathStart } from "./path-forms.ts"
export { type Origin, type Place, rootPlace } from "./place.ts"
export {
  type Autonomy,
  type McpServerConfig,
  type ModelEndpoint,
  type PolicyConfig,
  type PolicyFile,
  policySchema,
  type Settings,
} from "./policy-schema.ts"
export { builtInProfiles } from "./profiles.ts"
export type {
  Asked,
  Asker,
  Explanation,
  JudgedTool,
  Rule,
  RuleSource,
  Says,
  Stage,
  Step,
  Verdict,
} from "./verdict.ts"
