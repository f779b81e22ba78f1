import type { ConfigPath } from "../config/index.ts"
import { checkSchema, type Tool } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import { parsePointer, schemaAt } from "./argument-pointer.ts"
import { type Mapping, onlyKeys, requireMapping, requireText, suggest } from "./check-mapping.ts"
import { checkResult } from "./check-result.ts"
import { compileEntry } from "./compile-entry.ts"
import {
  answerForms,
  type ChosenTool,
  type DialectArgument,
  type DialectEntry,
  type DialectTable,
} from "./dialect-table.ts"

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
  if (!/^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/.test(name)) place.fail("is no name for a tool.")
  const tool = checkTool(value.tool, { place: place.at("tool"), catalogue })
  const tools = toolsOf(tool, catalogue)
  const given = value.arguments === undefined ? {} : value.arguments
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
    ...(value.result === undefined
      ? {}
      : { result: checkResult(value.result, tools, place.at("result")) }),
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
  const close = nearest(name, [...catalogue.keys()])
  return place.fail(
    `is ${JSON.stringify(name.slice(0, 64))}, which is no canonical tool` +
      (close ? `; did you mean "${close}"?` : "."),
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
