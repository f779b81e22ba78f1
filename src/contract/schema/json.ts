export type Json = null | boolean | number | string | readonly Json[] | JsonObject
interface JsonObject {
  readonly [key: string]: Json
}

/** JSON that its receiver may change. */
export type OwnJson = null | boolean | number | string | OwnJson[] | { [key: string]: OwnJson }

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** What a text holds as JSON; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The object that a text holds as JSON; null for anything else. */
export function parseObject(text: string): Record<string, unknown> | null {
  const value = parseJson(text)
  return isObject(value) ? value : null
}

/** Made like JSON.parse makes its objects, so that every key an object has is its own. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether a value is of a JSON Schema type. */
export function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value)
    case "array":
      return Array.isArray(value)
    case "null":
      return value === null
    case "object":
      return isObject(value)
    default:
      return typeof value === type
  }
}

/** Would JSON keep this value as it is? */
export function isJson(value: unknown, depth = 0): value is Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true
    case "number":
      return Number.isFinite(value)
    case "object": {
      if (value === null) return true
      if (depth > deepestJson || !(Array.isArray(value) || isPlainObject(value))) return false
      return Object.values(value).every((part) => isJson(part, depth + 1))
    }
    default:
      return false
  }
}

const deepestJson = 64
