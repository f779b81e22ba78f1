import { configRoot, parseYaml } from "../config/index.ts"
import { catalogue } from "../tools/index.ts"
import { checkDialect } from "./check-dialect.ts"
import type { DialectTable } from "./dialect-table.ts"

/**
 * Reads a vocabulary of one's own. Every mistake in it is a DefinitionError of one sentence that names
 * the file, the line and the place.
 */
export async function parseDialectYaml(text: string, fileName: string): Promise<DialectTable> {
  const { value, origin } = await parseYaml(text, fileName, "dialect: house")
  const known = new Map(catalogue().map((tool) => [tool.name, tool]))
  return checkDialect(value, configRoot(origin), known)
}
