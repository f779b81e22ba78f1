import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { followReference } from "../schema/schema-walk.ts"

export function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === ""
}

/** Not where an author declares `"minLength": 0`, or a blank choice or default: there it says something. */
export function isBlankMeaningless(
  schema: JsonSchema,
  root: JsonSchema,
  seen: ReadonlySet<JsonSchema> = new Set(),
): boolean {
  if (!isObject(schema)) return false
  if (seen.has(schema)) return true
  const { minLength, default: filling, const: constant, enum: choices = [] } = schema
  if (minLength === 0 || [filling, constant, ...choices].some(isBlank)) return false
  const target = schema.$ref === undefined ? undefined : followReference(root, schema.$ref)?.schema
  const { anyOf = [], oneOf = [], allOf = [] } = schema
  const parts = [...(target ? [target] : []), ...anyOf, ...oneOf, ...allOf]
  return parts.every((part) => isBlankMeaningless(part, root, new Set([...seen, schema])))
}
