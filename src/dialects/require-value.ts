import type { ConfigPath } from "../config/index.ts"
import { isObject } from "../contract/index.ts"
import { suggest } from "../kit/index.ts"

export type Mapping = Readonly<Record<string, unknown>>

export function onlyKeys(value: Mapping, known: readonly string[], place: ConfigPath): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) place.at(key).fail(`is not known here; ${suggest(key, known)}`)
  }
}

export function requireMapping(value: unknown, place: ConfigPath): Mapping {
  if (value === undefined) return place.fail("is missing.")
  return isObject(value) ? value : place.fail("must be a mapping.")
}

export function requireText(value: unknown, place: ConfigPath): string {
  if (value === undefined) return place.fail("is missing.")
  return typeof value === "string" && value !== "" ? value : place.fail("must be text.")
}
