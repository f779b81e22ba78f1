import type { JsonSchema } from "../schema/json-schema.ts"
import type { Interpreter, Place, Seen } from "./interpret-schema.ts"

interface Judged {
  readonly value: readonly unknown[]
  readonly schema: JsonSchema
  readonly at: Place
  readonly seen: Seen
}

/** Judges a list by the keywords about its items. */
export function judgeItems(interpreter: Interpreter, judged: Judged): boolean {
  const { value, schema, at, seen } = judged
  const isOldTuple = Array.isArray(schema.items)
  const tuple = (isOldTuple ? schema.items : (schema.prefixItems ?? [])) as readonly unknown[]
  const rest = isOldTuple ? schema.additionalItems : schema.items
  const fits = (one: unknown, index: number) =>
    interpreter.judge(one, { value: value[index], path: `${at.path}/${index}` }) !== null
  const fitsAll = (one: unknown, first: number) =>
    value.every((_, index) => index < first || fits(one, index))
  const tooMany = (keyword: string, most: number) => {
    const message = `must NOT have more than ${most} items`
    return interpreter.refuse(keyword, { schema, at, message })
  }
  if (!tuple.slice(0, value.length).every(fits)) return false
  seen.items = Math.max(seen.items, tuple.length)
  if (rest !== undefined) {
    if (rest === false && value.length > tuple.length) return tooMany("items", tuple.length)
    if (!fitsAll(rest, tuple.length)) return false
    seen.items = Number.POSITIVE_INFINITY
  }
  if (schema.contains !== undefined && !judgeContained(interpreter, judged)) return false
  const { unevaluatedItems } = schema
  if (unevaluatedItems === undefined) return true
  if (value.length > seen.items) {
    if (unevaluatedItems === false) return tooMany("unevaluatedItems", seen.items)
    if (!fitsAll(unevaluatedItems, seen.items)) return false
  }
  seen.items = Number.POSITIVE_INFINITY
  return true
}

function judgeContained(interpreter: Interpreter, { value, schema, at, seen }: Judged): boolean {
  const { contains, minContains: least = 1, maxContains: most } = schema
  const before = interpreter.problems.length
  const count = value.filter((item, index) =>
    interpreter.judge(contains, { value: item, path: `${at.path}/${index}` }),
  ).length
  // As Ajv does: whatever is looked through counts as seen.
  seen.items = Number.POSITIVE_INFINITY
  if (count >= Number(least) && (most === undefined || count <= Number(most))) {
    interpreter.problems.length = before
    return true
  }
  const limit = most === undefined ? "" : ` and no more than ${most}`
  const message = `must contain at least ${least}${limit} valid item(s)`
  return interpreter.refuse("contains", { schema, at, message })
}
