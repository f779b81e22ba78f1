import type { ConfigPath } from "../config/index.ts"
import { checkSchema, isObject, type JsonSchema, type Tool } from "../contract/index.ts"
import { suggest } from "../kit/index.ts"
import { parsePointer, schemaAt } from "./argument-pointer.ts"
import { compileEntry } from "./compile-entry.ts"
import {
  answerForms,
  type ChosenTool,
  type DialectArgument,
  type DialectEntry,
  type DialectTable,
  type ResultShape,
} from "./dialect-table.ts"

type Mapping = Readonly<Record<string, unknown>>

/** Every canonical tool there can be, by name. */
export type Catalogue = ReadonlyMap<string, Tool>

/** A vocabulary from outside as a table; throws a DefinitionError for what no host could keep. */
export function checkDialect(
  value: Mapping,
  place: ConfigPath,
  catalogue: Catalogue,
): DialectTable {
  onlyKeys(value, ["dialect", "about", "answer", "tools"], place)
  const answer = value.answer ?? "envelope"
  const form = answerForms.find((one) => one === answer)
  if (!form) place.at("answer").fail(`must be one of ${answerForms.join(", ")}.`)
  const dialect = requireText(value.dialect, place.at("dialect"))
  const { about: given = "" } = value
  const about = given === "" ? "" : requireText(given, place.at("about"))
  const tools = Object.entries(requireMapping(value.tools, place.at("tools")))
  if (tools.length === 0) place.at("tools").fail("must not be empty.")
  const entries = tools.map(([name, entry]) => {
    const where = place.at("tools").at(name)
    return [name, checkEntry(name, requireMapping(entry, where), { place: where, catalogue })]
  })
  return { dialect, about, answer: form ?? "envelope", tools: Object.fromEntries(entries) }
}

interface Setting {
  readonly place: ConfigPath
  readonly catalogue: Catalogue
}

function checkEntry(name: string, value: Mapping, { place, catalogue }: Setting): DialectEntry {
  onlyKeys(value, ["tool", "description", "arguments", "with", "result"], place)
  if (!/^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/.test(name)) place.fail("is not a valid name for a tool.")
  const tool = checkTool(value.tool, { place: place.at("tool"), catalogue })
  const tools = toolsOf(tool, catalogue)
  const outputSchemas = tools.map(({ outputSchema }) => outputSchema ?? {})
  const { arguments: given = {} } = value
  const all = Object.entries(requireMapping(given, place.at("arguments")))
  const checked = all.map(([argument, said]) => {
    const where = place.at("arguments").at(argument)
    return [argument, checkArgument(said, tools, where)] as const
  })
  const fixed = value.with === undefined ? {} : requireMapping(value.with, place.at("with"))
  const entry: DialectEntry = {
    tool,
    description: requireText(value.description, place.at("description")),
    arguments: Object.fromEntries(checked),
    with: fixed,
    ...(value.result !== undefined && {
      result: checkResult(value.result, outputSchemas, place.at("result")),
    }),
  }
  requireComplete(entry, tools, place)
  const compiled = compileEntry(name, entry, { canonical: catalogue, home: "/home/user" })
  const problem = compiled && checkSchema(compiled.inputSchema)
  if (problem) place.at("arguments").fail(`can't be shown to a model: ${problem}`)
  return entry
}

function checkTool(value: unknown, { place, catalogue }: Setting): string | ChosenTool {
  if (typeof value === "string") return requireKnown(value, place, catalogue)
  const { by, of, ...rest } = requireMapping(value, place)
  onlyKeys(rest, ["by", "of"], place)
  const choices = Object.entries(requireMapping(of, place.at("of"))).map(([choice, name]) => {
    const where = place.at("of").at(choice)
    return [choice, requireKnown(requireText(name, where), where, catalogue)]
  })
  return { by: requireText(by, place.at("by")), of: Object.fromEntries(choices) }
}

function requireKnown(name: string, place: ConfigPath, catalogue: Catalogue): string {
  if (catalogue.has(name)) return name
  const hint = suggest(name, [...catalogue.keys()], "toolkeep tools lists them.")
  return place.fail(
    `is ${JSON.stringify(name.slice(0, 64))}, which is not a canonical tool; ${hint}`,
  )
}

function toolsOf(tool: string | ChosenTool, catalogue: Catalogue): readonly Tool[] {
  const names = typeof tool === "string" ? [tool] : Object.values(tool.of)
  return names.map((name) => catalogue.get(name)).filter((found) => found !== undefined)
}

/** A text alone is where the value goes. */
function checkArgument(said: unknown, tools: readonly Tool[], place: ConfigPath): DialectArgument {
  const value = typeof said === "string" ? { as: said } : requireMapping(said, place)
  onlyKeys(value, ["as", "required", "times", "values", "schema"], place)
  const as = requireText(value.as, place.at("as"))
  const where = parsePointer(as)
  const known = tools.some((tool) => where && schemaAt(tool.inputSchema, where) !== undefined)
  if (!known) {
    const names = tools.flatMap((tool) => Object.keys(tool.inputSchema.properties ?? {}))
    place.at("as").fail(`is "${as}", which ${tools[0]?.name} does not take; ${suggest(as, names)}`)
  }
  if (value.required !== undefined && typeof value.required !== "boolean") {
    place.at("required").fail("must be true or false.")
  }
  if (value.times !== undefined && !(typeof value.times === "number" && value.times > 0)) {
    place.at("times").fail("must be a number above 0.")
  }
  if (value.values !== undefined) requireMapping(value.values, place.at("values"))
  if (value.schema !== undefined) requireMapping(value.schema, place.at("schema"))
  return value as unknown as DialectArgument
}

/** What a canonical tool needs in every call has to come from somewhere. */
function requireComplete(entry: DialectEntry, tools: readonly Tool[], place: ConfigPath): void {
  const given = Object.values(entry.arguments ?? {}).filter(({ required }) => required)
  const covered = new Set([
    ...given.map(({ as }) => String(parsePointer(as)?.[0])),
    ...Object.keys(entry.with ?? {}),
  ])
  for (const tool of tools) {
    const missing = (tool.inputSchema.required ?? []).find((name) => !covered.has(name))
    if (missing === undefined) continue
    place.fail(
      `must say where "${missing}" of ${tool.name} comes from: a required argument, or with.`,
    )
  }
}

/** The fields of an answer; each has to come from something that the canonical tool answers with. */
function checkResult(
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

function onlyKeys(value: Mapping, known: readonly string[], place: ConfigPath): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) place.at(key).fail(`is not known here; ${suggest(key, known)}`)
  }
}

function requireMapping(value: unknown, place: ConfigPath): Mapping {
  if (value === undefined) return place.fail("is missing.")
  return isObject(value) ? value : place.fail("must be a mapping.")
}

function requireText(value: unknown, place: ConfigPath): string {
  if (value === undefined) return place.fail("is missing.")
  return typeof value === "string" && value !== "" ? value : place.fail("must be text.")
}
