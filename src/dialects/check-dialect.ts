import type { ConfigPath } from "../config/index.ts"
import { checkSchema, failureKinds, isFailureKind, type Tool } from "../contract/index.ts"
import { suggest } from "../kit/index.ts"
import { parsePointer, schemaAt } from "./argument-pointer.ts"
import { checkRefuses, checkResult } from "./check-result.ts"
import { compileEntry } from "./compile-entry.ts"
import {
  answerForms,
  type ChosenTool,
  type DialectArgument,
  type DialectEntry,
  type DialectTable,
  type DialectTexts,
  textNames,
} from "./dialect-table.ts"
import { type Mapping, onlyKeys, requireMapping, requireText } from "./require-value.ts"

/** Every canonical tool there can be, by name. */
export type Catalogue = ReadonlyMap<string, Tool>

/** A vocabulary from outside as a table; throws a DefinitionError for what no host could keep. */
export function checkDialect(
  value: Mapping,
  place: ConfigPath,
  catalogue: Catalogue,
): DialectTable {
  onlyKeys(value, ["dialect", "about", "answer", "home", "texts", "tools"], place)
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
  return {
    ...{ dialect, about, answer: form ?? "envelope" },
    ...(value.home !== undefined && { home: checkHome(value.home, place.at("home")) }),
    ...(value.texts !== undefined && { texts: checkTexts(value.texts, place.at("texts")) }),
    tools: Object.fromEntries(entries),
  }
}

function checkHome(value: unknown, place: ConfigPath): string {
  const home = requireText(value, place)
  return /^(\/[^/]+)+$/.test(home)
    ? home
    : place.fail('must be an absolute path, such as "/home/agent".')
}

function checkTexts(value: unknown, place: ConfigPath): DialectTexts {
  const texts = requireMapping(value, place)
  onlyKeys(texts, textNames, place)
  for (const [name, text] of Object.entries(texts)) requireText(text, place.at(name))
  return texts as DialectTexts
}

interface Setting {
  readonly place: ConfigPath
  readonly catalogue: Catalogue
}

function checkEntry(name: string, value: Mapping, { place, catalogue }: Setting): DialectEntry {
  onlyKeys(value, ["tool", "description", "arguments", "with", "result", "refuses"], place)
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
    ...(value.refuses !== undefined && {
      refuses: checkRefuses(value.refuses, outputSchemas, place.at("refuses")),
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
  onlyKeys(
    value,
    ["as", "required", "times", "values", "schema", "expected", "refusal", "paths"],
    place,
  )
  const as = requireText(value.as, place.at("as"))
  const where = parsePointer(as)
  const known = tools.some((tool) => where && schemaAt(tool.inputSchema, where) !== undefined)
  if (!known) {
    const names = tools.flatMap((tool) => Object.keys(tool.inputSchema.properties ?? {}))
    place.at("as").fail(`is "${as}", which ${tools[0]?.name} does not take; ${suggest(as, names)}`)
  }
  for (const key of ["required", "paths"] as const) {
    const flag = value[key] ?? false
    if (typeof flag !== "boolean") place.at(key).fail("must be true or false.")
  }
  if (value.times !== undefined && !(typeof value.times === "number" && value.times > 0)) {
    place.at("times").fail("must be a number above 0.")
  }
  if (value.values !== undefined) requireMapping(value.values, place.at("values"))
  if (value.schema !== undefined) requireMapping(value.schema, place.at("schema"))
  if (value.expected !== undefined) requireText(value.expected, place.at("expected"))
  if (value.refusal !== undefined && !isFailureKind(value.refusal)) {
    place.at("refusal").fail(`must be one of ${Object.keys(failureKinds).join(", ")}.`)
  }
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
