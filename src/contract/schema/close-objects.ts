import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { mapKeyword, typesOf } from "./schema-walk.ts"

/** Any JSON value, on purpose. */
const anything: JsonSchema = { description: "Any value." }

/**
 * A schema whose author did not say whether its objects take other keys, as Toolkeep enforces it: an object that names
 * its keys has no others, and one that names none is a map. What the author said stays. Objects inside `allOf`, `anyOf`
 * and the like are only a part of what is said about a value, and are left for the author to close.
 */
export function closeObjects(root: JsonSchema): JsonSchema {
  const { properties = {}, additionalProperties = false, ...rest } = root
  return inside({ ...rest, properties, additionalProperties })
}

/** Keywords whose schemas each describe a value of their own. */
const ownValue = ["properties", "items", "prefixItems", "additionalProperties", "$defs"]

function inside(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]) => [
    keyword,
    ownValue.includes(keyword) ? mapKeyword(keyword, value, closed) : value,
  ])
  const mapped: JsonSchema = Object.fromEntries(entries)
  return mapped.additionalProperties === true
    ? { ...mapped, additionalProperties: anything }
    : mapped
}

function closed(schema: JsonSchema): JsonSchema {
  const isOpen =
    schema.additionalProperties === undefined && schema.unevaluatedProperties === undefined
  if (!isOpen || !typesOf(schema).includes("object")) return inside(schema)
  const hasNames = isObject(schema.properties) && Object.keys(schema.properties).length > 0
  return inside({ ...schema, additionalProperties: !hasNames })
}
