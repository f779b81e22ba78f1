export { checkNames, unknownNames } from "./check-names.ts"
export {
  createPolicy,
  type Policy,
  parsePolicyYaml,
  policyOfProfile,
  withProfile,
} from "./create-policy.ts"
export { createGrants, type Grant, type Grants, grantKey } from "./grants.ts"
export { builtInProfiles } from "./profiles.ts"
export type { PolicyChange } from "./suggest-change.ts"
export {
  type Caller,
  createRule,
  type Explanation,
  type PathStart,
  type PolicyQuery,
  type Rule,
  type Verdict,
} from "./verdict.ts"
