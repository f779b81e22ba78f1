import { fullFormats } from "ajv-formats/dist/formats.js"
import { isJson, isObject } from "./json.ts"
import { schemaKeywords } from "./schema-walk.ts"

export type Dialect = "draft-07" | "draft-2020-12"

/** What a keyword's value must look like; each name completes "must be ...". */
const forms = {
  "a schema": isSchema,
  "a schema or a list of schemas": (value: unknown) => isSchema(value) || isSchemaList(value),
  "a list of schemas": isSchemaList,
  "schemas by name": isSchemaMap,
  "schemas by pattern": (value: unknown) =>
    isSchemaMap(value) && Object.keys(value).every(isPattern),
  text: (value: unknown) => typeof value === "string",
  "a regular expression": isPattern,
  "a format that can be checked": (value: unknown) =>
    typeof value === "string" && isKnownFormat(value),
  "a number": Number.isFinite,
  "a number above 0": (value: unknown) => Number.isFinite(value) && Number(value) > 0,
  "a whole number from 0": (value: unknown) => Number.isInteger(value) && Number(value) >= 0,
  "true or false": (value: unknown) => typeof value === "boolean",
  "a list of different names": isNameList,
  "lists of names by name": (value: unknown) =>
    isObject(value) && Object.values(value).every(isNameList),
  "a list of choices": (value: unknown) =>
    Array.isArray(value) && value.length > 0 && isJson(value),
  "a list": (value: unknown) => Array.isArray(value) && isJson(value),
  JSON: isJson,
  "one or more JSON types": (value: unknown) => {
    const types = [value].flat()
    return types.length > 0 && types.every((type) => jsonTypes.includes(type))
  },
}

const jsonTypes: readonly unknown[] = [
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
]

/** Every keyword that is enforced or only describes; others are unknown, and refused. */
const keywords: Readonly<Record<keyof typeof forms, string>> = {
  "a schema": schemaKeywords.one,
  "a schema or a list of schemas": "items",
  "a list of schemas": schemaKeywords.list,
  "schemas by name": schemaKeywords.named,
  "schemas by pattern": "patternProperties",
  text: "$schema $id $ref $anchor $comment title description contentEncoding contentMediaType",
  "a regular expression": "pattern",
  "a format that can be checked": "format",
  "a number": "maximum exclusiveMaximum minimum exclusiveMinimum",
  "a number above 0": "multipleOf",
  "a whole number from 0":
    "maxLength minLength maxItems minItems maxContains minContains maxProperties minProperties",
  "true or false": "uniqueItems deprecated readOnly writeOnly",
  "a list of different names": "required",
  "lists of names by name": "dependentRequired",
  "a list of choices": "enum",
  "a list": "examples",
  JSON: "default const",
  "one or more JSON types": "type",
}

const formOf = new Map(
  Object.entries(keywords).flatMap(([form, names]) =>
    names.split(" ").map((name) => [name, form as keyof typeof forms] as const),
  ),
)

const missingIn: Readonly<Record<Dialect, readonly string[]>> = {
  "draft-07":
    "$anchor prefixItems dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties maxContains minContains".split(
      " ",
    ),
  "draft-2020-12": ["additionalItems"],
}

/** What is wrong with one keyword of a schema, as the end of a sentence; null when nothing is. */
export function keywordProblem(keyword: string, value: unknown, dialect: Dialect): string | null {
  const form = formOf.get(keyword)
  if (!form) return "is not a JSON Schema keyword."
  if (missingIn[dialect].includes(keyword)) return `does not exist in ${dialect}.`
  if (keyword === "items" && dialect === "draft-2020-12" && Array.isArray(value)) {
    return 'must be a schema; in draft 2020-12 a list of them is "prefixItems".'
  }
  return forms[form](value) ? null : `must be ${form}.`
}

export function isKnownFormat(format: string): boolean {
  return Object.hasOwn(fullFormats, format)
}

function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === "boolean"
}

function isSchemaList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isSchema)
}

function isSchemaMap(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.values(value).every(isSchema)
}

function isNameList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === "string") &&
    new Set(value).size === value.length
  )
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === "string" && Boolean(new RegExp(value, "u"))
  } catch {
    return false
  }
}
