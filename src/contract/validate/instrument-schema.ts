import { _, type CodeKeywordDefinition } from "ajv/dist/core.js"
import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { sameValueNodes } from "../schema/schema-places.ts"
import {
  childSchemas,
  isAboutObjects,
  mapSchemas,
  referredNode,
  type SchemaNode,
  typesOf,
} from "../schema/schema-walk.ts"
import { isBlankCode } from "./create-ajv.ts"
import type { KeywordRule } from "./value-rules.ts"

/** Raised while a value is validated in which a declared default is missing. */
export interface Flag {
  isRaised: boolean
}

/** The schema, and in it marks that refuse what is valid but better repaired, and notice missing defaults. */
export function markSchema(root: JsonSchema): JsonSchema {
  return mapSchemas(root, (schema) => {
    const marked = isAboutObjects(schema) ? { ...schema, plainObject: true } : schema
    if (!schema.properties) return marked
    const properties = Object.entries(schema.properties).map(([name, property]) => {
      const isOptional = !schema.required?.includes(name)
      const mark = isOptional && mayBeText(property) && isBlankMeaningless(property, root)
      return [name, mark ? { ...property, notBlank: true } : property]
    })
    const filled = Object.entries(schema.properties)
      .filter(([, property]) => defaultOf(property, root) !== undefined)
      .map(([name]) => name)
    const lacking = filled.length > 0 ? { lacking: filled } : {}
    return { ...marked, ...lacking, properties: Object.fromEntries(properties) }
  })
}

/** The schema, and in it marks that refuse whole numbers which may have been rounded on their way here. */
export function markIntegers(root: JsonSchema): JsonSchema {
  return mapSchemas(root, (schema) => {
    const types = typesOf(schema)
    const isWhole = types.includes("integer") && !types.includes("number")
    return isWhole ? { ...schema, heldExactly: true } : schema
  })
}

const most = Number.MAX_SAFE_INTEGER
const exactly = `can't be held exactly. Whole numbers go up to ${most}`

export const heldExactly: CodeKeywordDefinition = {
  keyword: "heldExactly",
  type: "number",
  error: { message: exactly },
  code: (context) => context.fail(_`${context.data} > ${most} || ${context.data} < ${-most}`),
}

/** What an interpreter of schemas checks of input beside JSON Schema: as `heldExactly` and `minLengthOfInput`. */
export const inputRules: Readonly<Record<string, KeywordRule>> = {
  heldExactly: (value: unknown) =>
    typeof value === "number" && Math.abs(value) > most ? exactly : null,
  minLength: (value: unknown, least: number, { schema }) =>
    least >= 1 && schema.pattern === undefined && isBlank(value)
      ? `must NOT have fewer than ${least} characters`
      : null,
}

/** The keywords of the marks. Written as code for Ajv, because every value that is checked meets them. */
export function markKeywords(flag: Flag): readonly CodeKeywordDefinition[] {
  return [notBlank, plainObject, lacking(flag)]
}

/** Refuses blank text: models fill the fields that they don't use with "", and repair drops it. */
const notBlank: CodeKeywordDefinition = {
  keyword: "notBlank",
  type: "string",
  code(context) {
    context.fail(isBlankCode(context.data))
  },
}

/**
 * Refuses objects that may inherit more than those of JSON do, and repair copies what is their own.
 * `__proto__` is eight times as fast as Object.getPrototypeOf, and where it is a key of the object,
 * a closer look is right as well.
 */
const plainObject: CodeKeywordDefinition = {
  keyword: "plainObject",
  type: "object",
  code: (context) => context.fail(_`${context.data}.__proto__ !== Object.prototype`),
}

function lacking(flag: Flag): CodeKeywordDefinition {
  return {
    keyword: "lacking",
    type: "object",
    code({ gen, data, schema }) {
      const raised = gen.scopeValue("obj", { ref: flag })
      const names: readonly string[] = schema
      for (const name of names) {
        gen.if(_`${data}[${name}] === undefined`, () => gen.assign(_`${raised}.isRaised`, true))
      }
    },
  }
}

/** The same for an interpreter of schemas. */
export function markRules(flag: Flag): Readonly<Record<string, KeywordRule>> {
  return {
    notBlank: (value: unknown) => (isBlank(value) ? "must not be blank" : null),
    plainObject: (value: unknown) =>
      isObject(value) && Object.getPrototypeOf(value) !== Object.prototype
        ? "must be a plain object"
        : null,
    lacking: (value: unknown, names: readonly string[]) => {
      flag.isRaised ||= isObject(value) && names.some((name) => value[name] === undefined)
      return null
    },
  }
}

/**
 * Does whatever fits the marked schema also fit the schema? Not where the schema wants a part of it
 * to be refused, and not where it declares a name that every object inherits.
 */
export function isMarkingSafe(root: JsonSchema): boolean {
  const waiting: SchemaNode[] = [{ schema: root, pointer: [] }]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const { schema } = node
    if (wantsRefusal.some((keyword) => schema[keyword] !== undefined)) return false
    const { properties = {}, required = [], dependentRequired = {} } = schema
    const names = [
      ...Object.keys(properties),
      ...required,
      ...Object.keys(Object(dependentRequired)),
    ]
    if (names.some((name) => name in Object.prototype)) return false
    waiting.push(...childSchemas(node))
  }
  return true
}

const wantsRefusal = ["oneOf", "not", "if", "contains"]

export function defaultOf(schema: JsonSchema, root: JsonSchema): unknown {
  const own = schema.default
  return own === undefined ? referredNode(schema, root)?.schema.default : own
}

function mayBeText(schema: JsonSchema): boolean {
  return isObject(schema) && (schema.type === undefined || typesOf(schema).includes("string"))
}

export function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === ""
}

/** Not where an author declares `"minLength": 0`, or a blank choice or default: there it says something. */
export function isBlankMeaningless(property: JsonSchema, root: JsonSchema): boolean {
  if (!isObject(property)) return false
  return sameValueNodes([{ schema: property, pointer: [] }], root).every(({ schema }) => {
    if (!isObject(schema)) return false
    const { minLength, default: filling, const: constant, enum: choices = [] } = schema
    return minLength !== 0 && ![filling, constant, ...choices].some(isBlank)
  })
}
