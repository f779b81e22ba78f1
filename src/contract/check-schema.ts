import { isObject } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { childSchemas, followReference, isKnownKeyword, type SchemaNode } from "./schema-walk.ts"

const types: readonly unknown[] = [
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
]

export const draft07 = "http://json-schema.org/draft-07/schema"
export const draft2020 = "https://json-schema.org/draft/2020-12/schema"

/** How deep schemas may stand in each other; a deeper one is hostile or a mistake. */
const deepest = 64

/** The first thing in a tool's input schema that would break its promise, as a sentence; else null. */
export function checkSchema(root: JsonSchema): string | null {
  const dialect = root.$schema?.replace(/#$/, "")
  if (dialect !== undefined && dialect !== draft07 && dialect !== draft2020) {
    return `inputSchema.$schema must be draft 2020-12 (${draft2020}) or draft-07 (${draft07}#).`
  }
  if (root.type !== "object") {
    return 'inputSchema must have "type": "object" at its top level: arguments have names.'
  }
  const waiting: SchemaNode[] = [{ schema: root, pointer: [] }]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const where = `inputSchema${node.pointer.map((step) => `.${step}`).join("")}`
    if (node.pointer.length > 2 * deepest) return `${where} is nested too deeply.`
    const problem = checkNode(node.schema, root, where)
    if (problem) return problem
    waiting.push(...childSchemas(node).reverse())
  }
  return null
}

function checkNode(schema: JsonSchema, root: JsonSchema, where: string): string | null {
  for (const keyword of Object.keys(schema)) {
    if (!isKnownKeyword(keyword)) return `${where}.${keyword} is no JSON Schema keyword.`
  }
  const declared = schema.type === undefined ? [] : [schema.type].flat()
  const unknown = declared.find((type) => !types.includes(type))
  if (unknown !== undefined) return `${where}.type ${JSON.stringify(unknown)} is no JSON type.`
  if (schema.$ref !== undefined && !followReference(root, String(schema.$ref))) {
    return `${where}.$ref must lead to a place inside this schema, such as "#/$defs/item".`
  }
  if (!declared.includes("object") && schema.properties === undefined) return null
  return checkObject(schema, where)
}

function checkObject(schema: JsonSchema, where: string): string | null {
  if (!isClosed(schema)) {
    return `${where} is an object without "additionalProperties": false, so keys that nobody declared would be accepted in silence.`
  }
  if (!isObject(schema.properties) || schema.patternProperties || isMap(schema)) return null
  const undeclared = schema.required?.find((name) => !Object.hasOwn(schema.properties ?? {}, name))
  return undeclared === undefined
    ? null
    : `${where}.required names ${JSON.stringify(undeclared)}, which is not among its properties.`
}

/** Closed: no further keys, or a map that says what each value is. */
function isClosed(schema: JsonSchema): boolean {
  return (
    schema.additionalProperties === false || schema.unevaluatedProperties === false || isMap(schema)
  )
}

function isMap(schema: JsonSchema): boolean {
  const values = schema.additionalProperties
  return isObject(values) && Object.keys(values).length > 0
}
