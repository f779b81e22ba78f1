import {
  createInputCheck,
  type InputCheck,
  isObject,
  type JsonSchema,
  type Tool,
} from "../contract/index.ts"
import { type ArgumentPointer, parsePointer, schemaAt } from "./argument-pointer.ts"
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
  readonly place: ArgumentPointer
  /** What it is when it is not given. */
  readonly byDefault: unknown
  readonly toCanonical: (value: unknown) => unknown
}

export interface EntryOptions {
  readonly canonical: ReadonlyMap<string, Tool>
  /** Where commands start in every sandbox; undefined where that is not always the same. */
  readonly home: string | undefined
}

/** Null where the canonical tool, or an argument that has to be given, is not there on this host. */
export function compileEntry(
  name: string,
  entry: DialectEntry,
  options: EntryOptions,
): CompiledEntry | null {
  const tools = toolsOf(entry, options.canonical)
  if (tools.size === 0) return null
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  const places: CompiledArgument[] = []
  if (typeof entry.tool === "object") {
    properties[entry.tool.by] = choiceSchema([...tools.keys()])
    required.push(entry.tool.by)
  }
  for (const [argument, said] of Object.entries(entry.arguments ?? {})) {
    const place = parsePointer(said.as) ?? []
    const target = targetOf(place, tools)
    if (target) {
      const shown = shownSchema(said, target, options.home)
      const toCanonical = (value: unknown) => canonicalValue(said, value, target)
      properties[argument] = shown
      places.push({ name: argument, place, byDefault: shown.default, toCanonical })
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

/** The canonical tools of an entry that are there, by what chooses them. */
export function toolsOf(
  entry: DialectEntry,
  canonical: ReadonlyMap<string, Tool>,
): Map<string, Tool> {
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

function targetOf(
  place: ArgumentPointer,
  tools: ReadonlyMap<string, Tool>,
): JsonSchema | undefined {
  for (const tool of tools.values()) {
    const target = schemaAt(tool.inputSchema, place)
    if (target) return target
  }
  return undefined
}

/** As the dialect writes it, with the canonical limits in its own unit; a default that this host can't keep is not shown. */
function shownSchema(
  said: DialectArgument,
  target: JsonSchema,
  home: string | undefined,
): JsonSchema {
  const { times = 1 } = said
  const limited = said.values ? {} : inUnit(target, times)
  if (!said.schema) return { ...target, ...limited }
  const { default: written, ...own } = said.schema
  const rest = { ...own, ...stricter(own, limited) }
  const value = written === "{home}" ? home : written
  if (value === undefined) return rest
  return accepts(target, canonicalValue(said, value, target)) ? { ...rest, default: value } : rest
}

const lowest = ["minimum", "exclusiveMinimum", "minLength", "minItems"] as const
const highest = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"] as const
const ofNumbers: readonly string[] = [
  ...["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "default"],
]

/** What the canonical schema enforces, with its numbers in the dialect's unit. */
function inUnit(target: JsonSchema, times: number): JsonSchema {
  const kept = [...lowest, ...highest, "pattern", "default", "type"] as const
  const limits = kept.flatMap((key) => {
    const value = target[key]
    if (value === undefined) return []
    const isScaled = typeof value === "number" && ofNumbers.includes(key)
    return [[key, isScaled ? value / times : value] as const]
  })
  const isWhole = target.type === "integer" && times !== 1
  return { ...Object.fromEntries(limits), ...(isWhole && { type: "number" }) }
}

/** Of the limits of both, those that decide. */
function stricter(own: JsonSchema, canonical: JsonSchema): JsonSchema {
  const { type: canonicalType, pattern } = canonical
  const isWhole = own.type === "number" && canonicalType === "integer"
  if (own.type !== canonicalType && !isWhole) return {}
  const limit = (key: (typeof lowest | typeof highest)[number], choose: typeof Math.max) => {
    const given = [own[key], canonical[key]].filter((value) => typeof value === "number")
    return given.length === 0 ? [] : [[key, choose(...given)] as const]
  }
  return {
    ...Object.fromEntries([
      ...lowest.flatMap((key) => limit(key, Math.max)),
      ...highest.flatMap((key) => limit(key, Math.min)),
    ]),
    ...(isWhole && { multipleOf: 1 }),
    ...(pattern !== undefined && own.pattern === undefined && { pattern }),
  }
}

/** A unit of whole numbers is rounded to: 1.001 times 1000 is not quite 1001. */
function canonicalValue(
  { times = 1, values }: DialectArgument,
  value: unknown,
  { type }: JsonSchema,
): unknown {
  if (values && Object.hasOwn(values, String(value))) return values[String(value)]
  if (typeof value !== "number" || times === 1) return value
  return type === "integer" ? Math.round(value * times) : value * times
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
