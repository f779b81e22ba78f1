import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { followReference } from "./schema-walk.ts"

/** Could the value be meant for this branch of a union, by its type and its tags alone? */
export function mayDescribe(branch: JsonSchema, value: unknown, root: JsonSchema): boolean {
  if (!isObject(branch)) return branch
  const target = branch.$ref === undefined ? undefined : followReference(root, branch.$ref)?.schema
  if (target && !mayDescribe(target, value, root)) return false
  return mayBeOfType(branch, value) && hasFittingTags(branch, value)
}

/** Text may still be read as another type. */
function mayBeOfType(schema: JsonSchema, value: unknown): boolean {
  if (schema.type === undefined || typeof value === "string") return true
  return [schema.type].flat().some((type) => {
    switch (type) {
      case "null":
        return value === null
      case "array":
        return Array.isArray(value)
      case "object":
        return isObject(value)
      case "integer":
        return typeof value === "number"
      default:
        return typeof value === type
    }
  })
}

/** A property with a constant is a tag, written in any case. */
function hasFittingTags(schema: JsonSchema, value: unknown): boolean {
  if (!isObject(value)) return true
  return Object.entries(schema.properties ?? {}).every(([name, { const: tag }]) => {
    if (typeof tag !== "string" || !Object.hasOwn(value, name)) return true
    const given = value[name]
    return typeof given === "string" && given.trim().toLowerCase() === tag.toLowerCase()
  })
}
