import { createPolicy } from "./create-policy.ts"
import { parseYaml, withoutOverflow } from "./parse-yaml.ts"
import type { PolicyConfig } from "./policy-schema.ts"

/**
 * Reads a policy file. Every mistake in it is a DefinitionError of one sentence that names the file,
 * the line and the place.
 */
export async function parsePolicyYaml(text: string, fileName: string): Promise<PolicyConfig> {
  const { value, origin } = await parseYaml(text, fileName, "tools:")
  const config: PolicyConfig = { ...value, origin }
  withoutOverflow(fileName, () => createPolicy(config))
  return config
}
