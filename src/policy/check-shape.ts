import { isObject, type JsonSchema } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import { type Place, quote } from "./place.ts"

const kindNames = {
  object: "a mapping",
  array: "a list",
  string: "text",
  boolean: "true or false",
} as const

/**
 * Checks a value by a schema of the few keywords that the policy's schema uses, and throws a
 * DefinitionError that says where and what. Not Ajv: a policy made in code is checked without a wait
 * and without loading one, and both ways in have the same words. A test holds it against Ajv.
 */
export function checkShape(value: unknown, schema: JsonSchema, place: Place): void {
  if (value === null) place.fail("has nothing in it; fill it in or remove it.")
  if (!isOfType(value, schema.type)) {
    place.fail(`must be ${kindNames[schema.type as keyof typeof kindNames]}.`)
  }
  if (typeof value === "string") checkText(value, schema, place)
  else if (typeof value === "boolean") return
  else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      checkShape(one, schema.items as JsonSchema, place.at(index))
    }
  } else checkMapping(value as Record<string, unknown>, schema, place)
}

function isOfType(value: unknown, type: JsonSchema["type"]): boolean {
  if (type === "object") return isMapping(value)
  if (type === "array") return Array.isArray(value)
  return typeof value === type
}

/** Not a Map: it has no keys that Object.entries sees, so its rules would be lost without a word. */
export function isMapping(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Object]"
}

function checkText(value: string, schema: JsonSchema, place: Place): void {
  if (value.length < ((schema.minLength as number) ?? 0)) place.fail("must not be empty.")
  const choices = schema.enum as readonly string[] | undefined
  if (choices && !choices.includes(value)) {
    place.fail(`is ${quote(value)}, but must be one of ${choices.join(", ")}.`)
  }
}

function checkMapping(value: Record<string, unknown>, schema: JsonSchema, place: Place): void {
  const known: Record<string, JsonSchema> = { ...schema.properties }
  for (const [key, part] of Object.entries(value)) {
    // Absent, in code that fills in optional fields.
    if (part === undefined) continue
    const inner = Object.hasOwn(known, key) ? known[key] : schema.additionalProperties
    if (isObject(inner)) checkShape(part, inner, place.at(key))
    else place.at(key).fail(`is not known here; ${suggestion(key, Object.keys(known))}`)
  }
  for (const key of schema.required ?? []) {
    if (value[key] === undefined) place.at(key).fail("is missing.")
  }
  if (Object.keys(value).length < ((schema.minProperties as number) ?? 0)) {
    place.fail("must not be empty.")
  }
  for (const { oneOf } of schema.allOf ?? []) checkOneOf(value, oneOf ?? [], place)
}

/** Exactly one of several keys: the only use of `oneOf` here. */
function checkOneOf(
  value: Record<string, unknown>,
  branches: readonly JsonSchema[],
  place: Place,
): void {
  const keys = branches.flatMap((branch) => branch.required ?? [])
  if (keys.filter((key) => value[key] !== undefined).length !== 1) {
    place.fail(`must have exactly one of ${keys.join(", ")}.`)
  }
}

function suggestion(key: string, known: readonly string[]): string {
  const close = nearest(key, known)
  return close ? `did you mean "${close}"?` : `what may stand here: ${known.join(", ")}.`
}
