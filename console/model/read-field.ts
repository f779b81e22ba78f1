/** A field of what may be anything. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

export function textOf(value: unknown, name: string): string | null {
  const field = fieldOf(value, name)
  return typeof field === "string" ? field : null
}

export function numberOf(value: unknown, name: string): number | null {
  const field = fieldOf(value, name)
  return typeof field === "number" && Number.isFinite(field) ? field : null
}

export function listOf(value: unknown, name: string): readonly unknown[] {
  const field = fieldOf(value, name)
  return Array.isArray(field) ? field : []
}

export function textsOf(value: unknown, name: string): readonly string[] {
  return listOf(value, name).filter((one) => typeof one === "string")
}
