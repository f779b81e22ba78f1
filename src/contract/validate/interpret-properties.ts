import type { JsonSchema } from "../schema/json-schema.ts"
import { pointerText } from "../schema/schema-walk.ts"
import type { Interpreter, Place, Seen } from "./interpret-schema.ts"

interface Judged {
  readonly value: Readonly<Record<string, unknown>>
  readonly schema: JsonSchema
  readonly at: Place
  readonly seen: Seen
}

/** Judges an object by the keywords about its keys and their values. */
export function judgeProperties(interpreter: Interpreter, judged: Judged): boolean {
  const { value, schema, seen } = judged
  const { properties = {}, additionalProperties, unevaluatedProperties } = schema
  const keys = Object.keys(value)
  const patterns = Object.entries(Object(schema.patternProperties)).map(
    ([pattern, part]) => [new RegExp(pattern, "u"), part] as const,
  )
  const isDescribed = (key: string) =>
    Object.hasOwn(properties, key) || patterns.some(([pattern]) => pattern.test(key))
  const fits = (part: unknown, key: string) => fitsAt(interpreter, judged, { part, key })
  const fitAll = (some: readonly string[], part: unknown) => some.every((key) => fits(part, key))
  const others = keys.filter((key) => !isDescribed(key))
  const isKept =
    judgeRequired(interpreter, judged) &&
    judgeNames(interpreter, judged) &&
    judgeOthers(interpreter, judged, { keyword: "additionalProperties", others }) &&
    Object.entries(properties).every(([key, part]) => !has(value, key) || fits(part, key)) &&
    patterns.every(([pattern, part]) => {
      const matching = keys.filter((key) => pattern.test(key))
      return fitAll(matching, part)
    }) &&
    judgeDependents(interpreter, judged)
  if (!isKept) return false
  for (const key of additionalProperties === undefined ? keys.filter(isDescribed) : keys) {
    seen.keys.add(key)
  }
  if (unevaluatedProperties === undefined) return true
  const unseen = keys.filter((key) => !seen.keys.has(key))
  const keyword = "unevaluatedProperties"
  if (!judgeOthers(interpreter, judged, { keyword, others: unseen })) return false
  for (const key of unseen) seen.keys.add(key)
  return true
}

/** A key without a value is not there, as in JSON. */
function has(value: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined
}

function fitsAt(
  interpreter: Interpreter,
  { value, at }: Judged,
  { part, key }: { readonly part: unknown; readonly key: string },
): boolean {
  const path = `${at.path}${pointerText([key])}`
  return interpreter.judge(part, { value: value[key], path }) !== null
}

const othersNames = {
  additionalProperties: ["additional", "additionalProperty"],
  unevaluatedProperties: ["unevaluated", "unevaluatedProperty"],
} as const

/** The keys that nothing else describes. */
function judgeOthers(
  interpreter: Interpreter,
  judged: Judged,
  { keyword, others }: { readonly keyword: keyof typeof othersNames; readonly others: string[] },
): boolean {
  const { schema, at } = judged
  const part = schema[keyword]
  const [first] = others
  if (part === undefined || first === undefined) return true
  if (part !== false) return others.every((key) => fitsAt(interpreter, judged, { part, key }))
  const [word, name] = othersNames[keyword]
  const message = `must NOT have ${word} properties`
  return interpreter.refuse(keyword, { schema, at, message, params: { [name]: first } })
}

function judgeRequired(interpreter: Interpreter, { value, schema, at }: Judged): boolean {
  const missingProperty = schema.required?.find((key) => !has(value, key))
  if (missingProperty === undefined) return true
  const message = `must have required property '${missingProperty}'`
  return interpreter.refuse("required", { schema, at, message, params: { missingProperty } })
}

function judgeNames(interpreter: Interpreter, { value, schema, at }: Judged): boolean {
  const { propertyNames } = schema
  if (propertyNames === undefined) return true
  const wrong = Object.keys(value).find((key) => {
    return !interpreter.judge(propertyNames, { value: key, path: at.path, propertyName: key })
  })
  if (wrong === undefined) return true
  const message = "property name must be valid"
  return interpreter.refuse("propertyNames", { schema, at, message })
}

function judgeDependents(interpreter: Interpreter, { value, schema, at, seen }: Judged): boolean {
  const { dependentRequired, dependentSchemas } = schema
  for (const [property, names] of Object.entries(Object(dependentRequired))) {
    if (!has(value, property)) continue
    const missingProperty = (names as string[]).find((name) => !has(value, name))
    if (missingProperty === undefined) continue
    const message = `must have property ${missingProperty} when property ${property} is present`
    const params = { property, missingProperty }
    return interpreter.refuse("dependentRequired", { schema, at, message, params })
  }
  return Object.entries(Object(dependentSchemas)).every(
    ([property, one]) => !has(value, property) || interpreter.also(one, at, seen),
  )
}
