import { inspect, isRef } from "./ref.ts"

/** The value of an input: each ref in it, however deep, is replaced by its value. */
export function resolve(input: unknown): unknown {
  return replaceRefs(input, (items) => items.map(resolve))
}

/** The same for what a `Writable` holds: an item of a list that waits or has failed is left out. */
export function fill(raw: unknown): unknown {
  return replaceRefs(raw, (items) =>
    items.flatMap((item) => {
      if (!holdsRefs(item)) return [item]
      const { value, mark } = inspect(() => fill(item))
      return mark === null ? [value] : []
    }),
  )
}

function replaceRefs(value: unknown, list: (items: readonly unknown[]) => unknown): unknown {
  if (isRef(value)) return value.get()
  if (Array.isArray(value)) return list(value)
  if (!isPlainObject(value)) return value
  const entries = Object.entries(value).map(([key, part]) => [key, replaceRefs(part, list)])
  return Object.fromEntries(entries)
}

export function holdsRefs(value: unknown): boolean {
  if (isRef(value)) return true
  if (Array.isArray(value)) return value.some(holdsRefs)
  return isPlainObject(value) && Object.values(value).some(holdsRefs)
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || isRef(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
