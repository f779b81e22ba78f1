import { DefinitionError, isObject, limits } from "../contract/index.ts"
import { createPolicy } from "./create-policy.ts"
import type { PolicyConfig } from "./policy-schema.ts"
import { readYaml } from "./read-yaml.ts"

/**
 * Reads a policy file. Every mistake in it is a DefinitionError of one sentence that names the file,
 * the line and the place.
 */
export async function parsePolicyYaml(text: string, fileName: string): Promise<PolicyConfig> {
  const { fileCharacters } = limits.policy
  if (text.length > fileCharacters) {
    throw new DefinitionError(`${fileName}: the file has more than ${fileCharacters} characters.`)
  }
  // Loaded here because its Node build reaches for Node, and most programs never come here.
  const yaml = await import("yaml")
  try {
    const { value, origin } = readYaml(yaml, text, fileName)
    if (value !== null && !isObject(value)) {
      throw new DefinitionError(
        `${fileName}, line 1: the file must hold a mapping, such as "tools:".`,
      )
    }
    const config: PolicyConfig = { ...value, origin }
    createPolicy(config)
    return config
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new DefinitionError(`${fileName}: the file is nested too deeply.`, { cause: error })
  }
}
