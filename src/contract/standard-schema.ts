import type { StandardSchemaV1 } from "@standard-schema/spec"
import { DefinitionError } from "./definition-error.ts"
import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import type { DescribedSchema, InputSchema } from "./tool.ts"

interface Described {
  readonly inputSchema: JsonSchema
  readonly standard: StandardSchemaV1 | null
}

/** JSON Schema stays what it is; a schema of another library is asked, once, to describe itself. */
export function describeAsJsonSchema(schema: InputSchema): Described {
  if (!isStandardSchema(schema)) return { inputSchema: schema, standard: null }
  const description = schema["~standard"].jsonSchema
  if (!description) {
    throw new DefinitionError(
      `The input schema comes from ${schema["~standard"].vendor}, which can't describe itself as JSON Schema here. ` +
        "Use a version that implements Standard JSON Schema (zod 4.2 or later does), or write JSON Schema.",
    )
  }
  const described = description.input({ target: "draft-2020-12" })
  return { inputSchema: closeObjects(described) as JsonSchema, standard: schema }
}

function isStandardSchema(schema: InputSchema): schema is DescribedSchema {
  // Some libraries' schemas are functions.
  const holder = isObject(schema) || typeof schema === "function"
  return holder && "~standard" in schema && isObject(schema["~standard"])
}

/**
 * Such libraries leave objects open in their description and drop unknown keys without a word.
 * Closed here: a key that would be ignored is a promise that would be broken.
 */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects)
  if (!isObject(value)) return value
  const closed = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, closeObjects(part)]),
  )
  const open = isObject(closed.properties) && closed.additionalProperties === undefined
  return open && closed.type === "object" ? { ...closed, additionalProperties: false } : closed
}
