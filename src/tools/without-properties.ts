import type { JsonSchema } from "../contract/index.ts"

/**
 * The schema without the properties that a host can't honour. Only optional properties may be named,
 * so that the input's type stays true: what is left out is simply never given.
 */
export function withoutProperties<Schema extends JsonSchema>(
  schema: Schema,
  names: readonly string[],
): Schema {
  const kept = Object.entries(schema.properties ?? {}).filter(([name]) => !names.includes(name))
  return { ...schema, properties: Object.fromEntries(kept) }
}
