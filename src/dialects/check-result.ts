import type { ConfigPath } from "../config/index.ts"
import { isObject, type JsonSchema } from "../contract/index.ts"
import { suggest } from "../kit/index.ts"
import { parsePointer } from "./argument-pointer.ts"
import type { ResultShape } from "./dialect-table.ts"
import { onlyKeys, requireMapping, requireText } from "./require-value.ts"

/** The fields of an answer; each has to come from something that the canonical tool answers with. */
export function checkResult(
  value: unknown,
  schemas: readonly JsonSchema[],
  place: ConfigPath,
): ResultShape {
  const shape = requireMapping(value, place)
  for (const [field, source] of Object.entries(shape)) checkSource(source, schemas, place.at(field))
  return shape as ResultShape
}

function checkSource(source: unknown, schemas: readonly JsonSchema[], place: ConfigPath): void {
  if (typeof source === "string") {
    find(source, schemas, place)
    return
  }
  const said = requireMapping(source, place)
  if ("value" in said) {
    onlyKeys(said, ["value"], place)
    return
  }
  if ("text" in said) {
    onlyKeys(said, ["text"], place)
    requireText(said.text, place.at("text"))
    return
  }
  onlyKeys(said, ["each", "fields"], place)
  const lists = find(String(said.each), schemas, place.at("each"))
  const items = lists.map(({ items }) => (isObject(items) ? (items as JsonSchema) : {}))
  checkResult(said.fields, items, place.at("fields"))
}

/** The schemas of what stands there; any, where a tool says nothing about it. */
function find(
  text: string,
  schemas: readonly JsonSchema[],
  place: ConfigPath,
): readonly JsonSchema[] {
  const parts =
    parsePointer(text) ?? place.fail('must be a place such as "stdout" or "artifact.path".')
  let found: readonly JsonSchema[] = schemas.flatMap(branches)
  for (const part of parts) {
    if (found.some((schema) => schema.properties === undefined && schema.items === undefined)) {
      return [{}]
    }
    const names = found.flatMap((schema) => Object.keys(schema.properties ?? {}))
    const next = found.flatMap((schema) => {
      const inner = schema.properties?.[part]
      return inner ? [inner] : []
    })
    if (next.length === 0) place.fail(`is "${text}", which is not a field; ${suggest(text, names)}`)
    found = next.flatMap(branches)
  }
  return found
}

function branches(schema: JsonSchema): readonly JsonSchema[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  return parts.length > 0 ? parts.flatMap(branches) : [schema]
}

/** Kinds that the canonical tool answers with, each with a text. */
export function checkRefuses(
  value: unknown,
  schemas: readonly JsonSchema[],
  place: ConfigPath,
): Readonly<Record<string, string>> {
  const refuses = requireMapping(value, place)
  const kinds = schemas.flatMap(branches).flatMap(({ properties }) => properties?.kind?.const ?? [])
  for (const [kind, text] of Object.entries(refuses)) {
    if (!kinds.includes(kind)) {
      place.at(kind).fail(`is not a kind of its results; ${suggest(kind, kinds.map(String))}`)
    }
    requireText(text, place.at(kind))
  }
  return refuses as Readonly<Record<string, string>>
}
