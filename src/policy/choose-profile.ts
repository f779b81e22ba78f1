import { createPolicy, type Policy } from "./create-policy.ts"
import { pointerTo } from "./place.ts"
import type { PolicyConfig } from "./policy-schema.ts"
import { requireProfile } from "./profiles.ts"

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
