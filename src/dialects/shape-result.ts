import { isObject } from "../contract/index.ts"
import { parsePointer, valueAt } from "./argument-pointer.ts"
import type { ResultShape, ResultSource } from "./dialect-table.ts"

/** A canonical result with the fields, and only the fields, that a vocabulary knows. */
export function shapeResult(
  shape: ResultShape,
  result: unknown,
): Readonly<Record<string, unknown>> {
  const fields = Object.entries(shape).map(([name, source]) => [name, valueFrom(source, result)])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

function valueFrom(source: ResultSource, result: unknown): unknown {
  if (typeof source === "string") return valueAt(result, parsePointer(source) ?? [])
  if ("value" in source) return source.value
  const items = valueAt(result, parsePointer(source.each) ?? [])
  return Array.isArray(items) ? items.map((item) => shapeResult(source.fields, item)) : undefined
}

/** Whether a result was cut and the vocabulary has no word for that. */
export function hidesCut(shape: ResultShape, result: unknown): boolean {
  if (!isObject(result) || result.truncated !== true) return false
  return !Object.values(shape).includes("truncated")
}
