import { limits } from "../limits.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import {
  childSchemas,
  findLoop,
  referredNode,
  type SchemaNode,
  typesOf,
} from "../schema/schema-walk.ts"

/** Does the value have objects and arrays in each other to more than this many levels? */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false
  if (levels === 0) return true
  for (const part of Object.values(value)) {
    if (isDeeperThan(levels - 1, part)) return true
  }
  return false
}

/** Bounded, so that a million spaces are not walked back and forth. */
const opening = String.raw`[[{]\s{0,99}(?:"[^"\\]{0,99}"\s{0,9}:\s{0,99})?`
const tooManyOpenings = new RegExp(`^(?:${opening}){${limits.inputDepth + 1}}`)

/** Does trimmed JSON text open more levels at its start than a call may have? To parse millions takes long. */
export function startsTooDeep(text: string): boolean {
  return tooManyOpenings.test(text)
}

/**
 * Does the schema itself end how deep a valid value can be? Not where it contains itself, and not
 * where anything may stand. Then the depth of input is limited before anything follows it down.
 */
export function limitsDepth(root: JsonSchema): boolean {
  const next = (node: SchemaNode): readonly SchemaNode[] => {
    // What takes anything takes also what it is itself a part of.
    if (takesAnything(node.schema)) return [node]
    const target = referredNode(node.schema, root)
    return target ? [target, ...childSchemas(node)] : childSchemas(node)
  }
  return findLoop([{ schema: root, pointer: [] }], next) === null
}

/** Is there a place in a value, right here, where anything of any depth would be valid? */
function takesAnything(schema: JsonSchema): boolean {
  const parts = [schema.properties, schema.patternProperties, schema.prefixItems, schema.items]
  if (parts.some((part) => Object.values(Object(part)).includes(true))) return true
  if (judges.some((keyword) => Object.values(Object(schema[keyword])).includes(true))) return true
  const types = typesOf(schema)
  if (types.includes("array") && isAnything(schema.items)) return true
  if (types.includes("object") && isAnything(schema.additionalProperties)) return true
  return types.length === 0 && !judges.some((keyword) => schema[keyword] !== undefined)
}

/** Any of these says what a value is where no type does. */
const judges = ["$ref", "enum", "const", "anyOf", "oneOf", "allOf"]

function isAnything(schema: unknown): boolean {
  return schema === undefined || schema === true
}
