import type { ServerSpec } from "../../../config/index.ts"
import { DefinitionError } from "../../../contract/index.ts"
import { nearest } from "../../../kit/index.ts"

/** The server of this name; throws a DefinitionError that says which there are. */
export function findServer(specs: readonly ServerSpec[], name: string): ServerSpec {
  const found = specs.find((spec) => spec.name === name)
  if (found) return found
  const names = specs.map((spec) => spec.name)
  const close = nearest(name, names)
  const hint = close ? `did you mean "${close}"?` : `there are ${names.join(", ") || "none"}.`
  throw new DefinitionError(
    `There is no MCP server ${JSON.stringify(name)} in the configuration; ${hint}`,
  )
}
