import { checkShape, isMapping } from "./check-shape.ts"
import { type ConfigPath, configRoot } from "./config-path.ts"
import { type PolicyConfig, policySchema } from "./config-schema.ts"
import { parseYaml } from "./parse-yaml.ts"

/** Parses the text of a toolkeep.yaml and checks its shape. Mistakes are DefinitionErrors that name file and line. */
export async function parseConfig(text: string, fileName: string): Promise<PolicyConfig> {
  const { value, origin } = await parseYaml(text, fileName, "tools:")
  const config: PolicyConfig = { ...value, origin }
  checkConfig(config)
  return config
}

/** Checks the shape of a configuration and returns its root path. Throws a DefinitionError for the first mistake. */
export function checkConfig(config: PolicyConfig): ConfigPath {
  if (!isMapping(config)) configRoot().fail("must be a mapping.")
  const { origin, ...file } = config
  const root = configRoot(origin)
  checkShape(file, policySchema, root)
  return root
}
