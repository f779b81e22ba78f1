/**
 * JSON text in which equal values are equal texts: keys sorted, no white space.
 * Throws what JSON.stringify throws for values that JSON can't hold.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (isPlainObject(part) ? sortKeys(part) : part))
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function sortKeys(value: Record<string, unknown>): Record<string, unknown> {
  // Object.fromEntries defines keys instead of assigning them, so "__proto__" stays a key.
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
