import { canonicalJson } from "../../kit/index.ts"
import { isObject, isOfType } from "./json.ts"
import type { JsonSchema } from "./json-schema.ts"
import { type Dialect, keywordProblem } from "./schema-keywords.ts"
import {
  childSchemas,
  findLoop,
  isAboutObjects,
  referredNode,
  type SchemaNode,
  typesOf,
} from "./schema-walk.ts"

const draft07 = "http://json-schema.org/draft-07/schema"
const draft2020 = "https://json-schema.org/draft/2020-12/schema"

/** How deep schemas may stand in each other; a deeper one is hostile or a mistake. */
const deepest = 64

/** The dialect that a schema names, draft 2020-12 where it names none, null for any other. */
export function dialectOf(root: JsonSchema): Dialect | null {
  const { $schema } = root
  if ($schema === undefined) return "draft-2020-12"
  const name = String($schema).replace(/#$/, "")
  if (name === draft2020) return "draft-2020-12"
  return name === draft07 ? "draft-07" : null
}

/** The first thing in a tool's input schema that would break its promise, as a sentence; else null. */
export function checkSchema(root: JsonSchema): string | null {
  const dialect = dialectOf(root)
  if (!dialect) {
    return `inputSchema.$schema must be draft 2020-12 (${draft2020}) or draft-07 (${draft07}#).`
  }
  if (root.type !== "object") {
    return 'inputSchema must have "type": "object" at its top level: arguments have names.'
  }
  const nodes: SchemaNode[] = []
  const waiting: SchemaNode[] = [{ schema: root, pointer: [] }]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const problem =
      node.pointer.length > 2 * deepest
        ? `${placeOf(node)} is nested too deeply.`
        : (checkKeywords(node, dialect) ?? checkNode(node))
    if (problem) return problem
    nodes.push(node)
    waiting.push(...childSchemas(node).reverse())
  }
  return checkReferences(nodes, root)
}

/** A reference may lead only to a schema that was checked itself, and not in a circle. */
function checkReferences(nodes: readonly SchemaNode[], root: JsonSchema): string | null {
  const checked = new Set(nodes.map((node) => node.schema))
  for (const node of nodes) {
    if (node.schema.$ref === undefined) continue
    const target = referredNode(node.schema, root)
    if (!target || !checked.has(target.schema)) {
      return `${placeOf(node)}.$ref must lead to a schema inside this one, such as "#/$defs/item".`
    }
  }
  const loop = findLoop(nodes, (node) => sameValueSchemas(node, root))
  return loop && `${placeOf(loop)} leads back to itself before it says anything about a value.`
}

/** Keywords whose schemas judge the same value as the schema that they stand in. */
const sameValue: readonly unknown[] = "allOf anyOf oneOf not if then else dependentSchemas".split(
  " ",
)

/** Keywords that may judge some items of a list, each in its own way. Ajv loses count of those that were judged. */
const listKeywords = ["$ref", "contains", ...sameValue.map(String)]

function sameValueSchemas(node: SchemaNode, root: JsonSchema): SchemaNode[] {
  const inside = childSchemas(node).filter(({ pointer }) =>
    sameValue.includes(pointer[node.pointer.length]),
  )
  const target = referredNode(node.schema, root)
  return target ? [target, ...inside] : inside
}

export function placeOf(node: SchemaNode): string {
  return `inputSchema${node.pointer.map((step) => `.${step}`).join("")}`
}

function checkKeywords(node: SchemaNode, dialect: Dialect): string | null {
  for (const [keyword, value] of Object.entries(node.schema)) {
    const problem = keywordProblem(keyword, value, dialect)
    if (problem) return `${placeOf(node)}.${keyword} ${problem}`
  }
  return null
}

function checkNode(node: SchemaNode): string | null {
  const { schema } = node
  const where = placeOf(node)
  if (schema.$id !== undefined && node.pointer.length > 0) {
    return `${where}.$id would change where "$ref" starts; only the top level may have one.`
  }
  const beside = listKeywords.find((keyword) => schema[keyword] !== undefined)
  if (schema.unevaluatedItems !== undefined && beside !== undefined) {
    return `${where}.unevaluatedItems can't be enforced beside ${JSON.stringify(beside)}; use "items".`
  }
  if (!isFitting(schema, schema.default)) {
    return `${where}.default is not a value that the schema itself accepts.`
  }
  return isAboutObjects(schema) ? checkObject(schema, where) : null
}

function checkObject(schema: JsonSchema, where: string): string | null {
  if (!isClosed(schema)) {
    return `${where} is an object without "additionalProperties": false, so keys that nobody declared would be accepted in silence.`
  }
  if (Object.hasOwn(schema.properties ?? {}, "__proto__")) {
    return `${where}.properties.__proto__ can't be an argument's name.`
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

/** A default by its type and its choices. Whatever else the schema says is asked of its compiled form. */
function isFitting(schema: JsonSchema, value: unknown): boolean {
  if (value === undefined) return true
  if (schema.enum && !schema.enum.some((one) => canonicalJson(one) === canonicalJson(value))) {
    return false
  }
  const types = typesOf(schema)
  return types.length === 0 || types.some((type) => isOfType(value, type))
}
