import {
  createInputCheck,
  type InputCheck,
  isObject,
  type JsonSchema,
  type Tool,
} from "../contract/index.ts"
import { type ArgumentPlace, parsePlace, schemaAt } from "./argument-place.ts"
import type { DialectArgument, DialectEntry } from "./dialect-table.ts"

/** One tool of a vocabulary over the canonical tools that are there. */
export interface CompiledEntry {
  readonly name: string
  readonly entry: DialectEntry
  readonly inputSchema: JsonSchema
  readonly check: InputCheck
  readonly places: readonly CompiledArgument[]
  /** The canonical tools, by the value of the argument that chooses; one under "" where none does. */
  readonly tools: ReadonlyMap<string, Tool>
}

export interface CompiledArgument {
  readonly name: string
  readonly place: ArgumentPlace
  /** What it is when it is not given. */
  readonly usual: unknown
  readonly toCanonical: (value: unknown) => unknown
}

export interface Surroundings {
  readonly canonical: ReadonlyMap<string, Tool>
  /** Where commands start in every sandbox; undefined where that is not always the same. */
  readonly home: string | undefined
}

/** Null where the canonical tool, or an argument that has to be given, is not there on this host. */
export function compileEntry(
  name: string,
  entry: DialectEntry,
  surroundings: Surroundings,
): CompiledEntry | null {
  const tools = toolsOf(entry, surroundings.canonical)
  if (tools.size === 0) return null
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  const places: CompiledArgument[] = []
  if (typeof entry.tool === "object") {
    properties[entry.tool.by] = choiceSchema([...tools.keys()])
    required.push(entry.tool.by)
  }
  for (const [argument, said] of Object.entries(entry.arguments ?? {})) {
    const place = parsePlace(said.as) ?? []
    const target = targetOf(place, tools)
    if (target) {
      const shown = shownSchema(said, target, surroundings.home)
      const toCanonical = (value: unknown) => canonicalValue(said, value)
      properties[argument] = shown
      places.push({ name: argument, place, usual: shown.default, toCanonical })
      if (said.required) required.push(argument)
    } else if (said.required) return null
  }
  const inputSchema: JsonSchema = {
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
  return { name, entry, inputSchema, check: createInputCheck(inputSchema), places, tools }
}

function toolsOf(entry: DialectEntry, canonical: ReadonlyMap<string, Tool>): Map<string, Tool> {
  const names = typeof entry.tool === "string" ? { "": entry.tool } : entry.tool.of
  const found = new Map<string, Tool>()
  for (const [choice, name] of Object.entries(names)) {
    const tool = canonical.get(name)
    if (tool) found.set(choice, tool)
  }
  return found
}

function choiceSchema(choices: readonly string[]): JsonSchema {
  return { type: "string", enum: choices, description: `What to do, such as "${choices[0]}".` }
}

function targetOf(place: ArgumentPlace, tools: ReadonlyMap<string, Tool>): JsonSchema | undefined {
  for (const tool of tools.values()) {
    const target = schemaAt(tool.inputSchema, place)
    if (target) return target
  }
  return undefined
}

/** As the vocabulary writes it; a default that this host can't keep is not shown. */
function shownSchema(
  said: DialectArgument,
  target: JsonSchema,
  home: string | undefined,
): JsonSchema {
  if (!said.schema) return target
  const { default: written, ...rest } = said.schema
  const value = written === "{home}" ? home : written
  if (value === undefined) return rest
  return accepts(target, canonicalValue(said, value)) ? { ...rest, default: value } : rest
}

function canonicalValue({ times = 1, values }: DialectArgument, value: unknown): unknown {
  if (values && Object.hasOwn(values, String(value))) return values[String(value)]
  return typeof value === "number" ? value * times : value
}

function accepts(schema: JsonSchema, value: unknown): boolean {
  const around: JsonSchema = {
    type: "object",
    properties: { value: schema },
    additionalProperties: false,
  }
  const checked = createInputCheck(around)({ value })
  return checked.ok && checked.notes.length === 0 && isObject(checked.value)
}
