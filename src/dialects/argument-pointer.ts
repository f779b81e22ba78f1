import { isObject, type JsonSchema } from "../contract/index.ts"

/** Where a value stands in an object: names and places in lists. */
export type ArgumentPointer = readonly (string | number)[]

const placePattern = /^[A-Za-z_][A-Za-z0-9_]*(\[\d\]|\.[A-Za-z_][A-Za-z0-9_]*)*$/

/** "edits[0].search" as its parts; null for text that is not such a path. */
export function parsePointer(text: string): ArgumentPointer | null {
  if (!placePattern.test(text)) return null
  return [...text.matchAll(/[A-Za-z_][A-Za-z0-9_]*|\d/g)].map(([part]) =>
    /^\d$/.test(part) ? Number(part) : part,
  )
}

/** The same object with a value at this place; what is on the way there is made. */
export function withValueAt(target: unknown, place: ArgumentPointer, value: unknown): unknown {
  const [part, ...rest] = place
  if (part === undefined) return value
  if (typeof part === "number") {
    const list = Array.isArray(target) ? [...target] : []
    list[part] = withValueAt(list[part], rest, value)
    return list
  }
  const fields = isObject(target) ? target : {}
  return { ...fields, [part]: withValueAt(fields[part], rest, value) }
}

/** What stands there; undefined where nothing does. */
export function valueAt(source: unknown, place: ArgumentPointer): unknown {
  let value = source
  for (const part of place) {
    if (typeof part === "number") value = Array.isArray(value) ? value[part] : undefined
    else value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
  }
  return value
}

/** The schema of what stands there; undefined where the schema knows no such place. */
export function schemaAt(schema: JsonSchema, place: ArgumentPointer): JsonSchema | undefined {
  let found: JsonSchema | undefined = schema
  for (const part of place) {
    if (typeof part === "number") {
      const items: JsonSchema["items"] = found?.items
      found = isObject(items) ? (items as JsonSchema) : undefined
    } else {
      const properties: JsonSchema["properties"] = found?.properties
      found = properties && Object.hasOwn(properties, part) ? properties[part] : undefined
    }
  }
  return found
}
