import { isObject, type JsonSchema } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import { type ConfigPath, quote } from "./config-path.ts"

const kindNames = {
  object: "a mapping",
  array: "a list",
  string: "text",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
} as const

/**
 * Checks a value against a schema that uses only the keywords of policySchema, and throws a DefinitionError for the
 * first mistake. Not Ajv: this check is synchronous and needs no dependency, so a policy made in code can use it. A
 * test compares it with Ajv.
 */
export function checkShape(value: unknown, schema: JsonSchema, path: ConfigPath): void {
  if (value === null) path.fail("has nothing in it; fill it in or remove it.")
  if (!isOfType(value, schema.type)) {
    path.fail(`must be ${kindNames[schema.type as keyof typeof kindNames]}.`)
  }
  if (typeof value === "string") checkText(value, schema, path)
  else if (typeof value === "number") checkNumber(value, schema, path)
  else if (typeof value === "boolean") return
  else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      checkShape(one, schema.items as JsonSchema, path.at(index))
    }
  } else checkMapping(value as Record<string, unknown>, schema, path)
}

function isOfType(value: unknown, type: JsonSchema["type"]): boolean {
  if (type === "object") return isMapping(value)
  if (type === "array") return Array.isArray(value)
  if (type === "integer") return Number.isInteger(value)
  if (type === "number") return Number.isFinite(value)
  return typeof value === type
}

/** False for a Map: Object.entries sees no keys in it, so its rules would be lost silently. */
export function isMapping(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Object]"
}

function checkText(value: string, schema: JsonSchema, path: ConfigPath): void {
  if (value.length < ((schema.minLength as number) ?? 0)) path.fail("must not be empty.")
  // The value itself is not repeated: it may be a secret.
  if (typeof schema.pattern === "string" && !new RegExp(schema.pattern).test(value)) {
    path.fail(`does not have the form that it must have. ${schema.description}`)
  }
  const choices = schema.enum as readonly string[] | undefined
  if (choices && !choices.includes(value)) {
    path.fail(`is ${quote(value)}, but must be one of ${choices.join(", ")}.`)
  }
}

function checkNumber(value: number, schema: JsonSchema, path: ConfigPath): void {
  const { minimum, maximum } = schema
  if (typeof minimum === "number" && value < minimum) path.fail(`must be at least ${minimum}.`)
  if (typeof maximum === "number" && value > maximum) path.fail(`must be at most ${maximum}.`)
}

function checkMapping(value: Record<string, unknown>, schema: JsonSchema, path: ConfigPath): void {
  const known: Record<string, JsonSchema> = { ...schema.properties }
  for (const [key, part] of Object.entries(value)) {
    // Absent, in code that fills in optional fields.
    if (part === undefined) continue
    const inner = Object.hasOwn(known, key) ? known[key] : schema.additionalProperties
    if (isObject(inner)) checkShape(part, inner, path.at(key))
    else path.at(key).fail(`is not known here; ${suggestion(key, Object.keys(known))}`)
  }
  for (const key of schema.required ?? []) {
    if (value[key] === undefined) path.at(key).fail("is missing.")
  }
  if (Object.keys(value).length < ((schema.minProperties as number) ?? 0)) {
    path.fail("must not be empty.")
  }
  for (const { oneOf } of schema.allOf ?? []) checkOneOf(value, oneOf ?? [], path)
}

/** Exactly one of several keys: the only use of `oneOf` here. */
function checkOneOf(
  value: Record<string, unknown>,
  branches: readonly JsonSchema[],
  path: ConfigPath,
): void {
  const keys = branches.flatMap((branch) => branch.required ?? [])
  if (keys.filter((key) => value[key] !== undefined).length !== 1) {
    path.fail(`must have exactly one of ${keys.join(", ")}.`)
  }
}

function suggestion(key: string, known: readonly string[]): string {
  const close = nearest(key, known)
  return close ? `did you mean "${close}"?` : `what may stand here: ${known.join(", ")}.`
}
