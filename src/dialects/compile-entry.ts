import {
  createInputCheck,
  type InputCheck,
  isObject,
  type JsonSchema,
  type Tool,
} from "../contract/index.ts"
import { type ArgumentPointer, parsePointer, schemaAt } from "./argument-pointer.ts"
import type { DialectArgument, DialectEntry } from "./dialect-table.ts"
import type { HomePaths } from "./home-paths.ts"
import { withoutArgument } from "./translate-words.ts"

/** One tool of a vocabulary over the canonical tools that are there. */
export interface CompiledEntry {
  readonly name: string
  readonly entry: DialectEntry
  /** Without what it says of arguments that this host can't keep; of a command also with what it reaches. */
  readonly description: string
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
  /** Where the dialect writes it otherwise. */
  readonly homes?: Pick<HomePaths, "toSandbox" | "inCommand">
  /** What commands reach and which programs they have. */
  readonly environment?: string | undefined
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
  const checked: Record<string, JsonSchema> = {}
  const required: string[] = []
  const places: CompiledArgument[] = []
  const description = readDescription(entry.description)
  if (typeof entry.tool === "object") {
    properties[entry.tool.by] = choiceSchema([...tools.keys()])
    required.push(entry.tool.by)
  }
  for (const [argument, said] of Object.entries(entry.arguments ?? {})) {
    const place = parsePointer(said.as) ?? []
    const target = targetOf(place, tools)
    if (target) {
      const shown = shownSchema(said, target, options.home)
      const inSandbox = pathsOf(said, tools, options)
      const toCanonical = (value: unknown) => inSandbox(canonicalValue(said, value, target))
      properties[argument] = shown
      checked[argument] = said.schema?.enum ? shown : withoutChoices(shown)
      places.push({ name: argument, place, byDefault: shown.default, toCanonical })
      if (said.required) required.push(argument)
    } else if (said.required) return null
    else {
      description.text = withoutArgument(description.text, argument)
      delete description.example?.[argument]
    }
  }
  const inputSchema: JsonSchema = {
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
  const check = createInputCheck({ ...inputSchema, properties: { ...properties, ...checked } })
  const isCommand = [...tools.values()].some((tool) => tool.name === commandTool)
  if (isCommand && options.environment) description.text += ` ${options.environment}`
  return {
    name,
    entry,
    description: writeDescription(description),
    inputSchema,
    check,
    places,
    tools,
  }
}

/** Its canonical description says where commands run; so does each tool over it. */
const commandTool = "shell.exec"

/** The example apart from the sentences: it is JSON, and loses an argument as JSON does. */
interface Description {
  text: string
  readonly example: Record<string, unknown> | null
}

function readDescription(description: string): Description {
  const [, text = "", json = ""] = /^(.*) Example: (\{.*\})\.$/s.exec(description) ?? []
  try {
    return { text, example: JSON.parse(json) as Record<string, unknown> }
  } catch {
    return { text: description, example: null }
  }
}

function writeDescription({ text, example }: Description): string {
  return example ? `${text} Example: ${spacedJson(example)}.` : text
}

/** As people write it: `{"path": "src", "limit": 5}`. */
function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(", ")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const parts = Object.entries(value).map(([key, part]) => `"${key}": ${spacedJson(part)}`)
  return `{${parts.join(", ")}}`
}

/** The canonical tool refuses a value that is none of its choices, and may know more about why. */
function withoutChoices({ enum: _choices, ...schema }: JsonSchema): JsonSchema {
  return schema
}

/** What is done to the paths that a value is, or names. */
function pathsOf(
  { as, paths }: DialectArgument,
  tools: ReadonlyMap<string, Tool>,
  { homes }: EntryOptions,
): (value: unknown) => unknown {
  const isPath = [...tools.values()].some(({ pathArguments }) => pathArguments.includes(as))
  if (homes && isPath) return homes.toSandbox
  return homes && paths ? homes.inCommand : (value) => value
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
  const { times = 1, schema = {} } = said
  const { default: written, ...own } = schema
  const limits = said.values ? {} : inUnit(target, times)
  // A text on milliseconds says nothing true of seconds.
  const about = times === 1 && target.description ? { description: target.description } : {}
  const isOwn = own.type !== undefined
  const { default: byDefault, ...rest }: JsonSchema = isOwn
    ? { ...own, ...stricter(own, limits) }
    : { ...about, ...limits, ...own }
  const value = written === "{home}" ? home : (written ?? byDefault)
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
  const { description: _, title: __, examples: ___, ...enforced } = target
  const limits = Object.entries(enforced).map(([key, value]) => {
    const isScaled = typeof value === "number" && ofNumbers.includes(key)
    return [key, isScaled ? value / times : value] as const
  })
  const isWhole = target.type === "integer" && times !== 1
  return { ...Object.fromEntries(limits), ...(isWhole && { type: "number" }) }
}

/** Of the limits of both, those that decide; what the dialect says nothing about is the canonical one's. */
function stricter(own: JsonSchema, canonical: JsonSchema): JsonSchema {
  const { type: canonicalType, default: _, ...enforced } = canonical
  const isWhole = own.type === "number" && canonicalType === "integer"
  if (own.type !== canonicalType && !isWhole) return {}
  const limit = (key: (typeof lowest | typeof highest)[number], choose: typeof Math.max) => {
    const given = [own[key], canonical[key]].filter((value) => typeof value === "number")
    return given.length === 0 ? [] : [[key, choose(...given)] as const]
  }
  const others = Object.entries(enforced).filter(([key]) => own[key] === undefined)
  return {
    ...Object.fromEntries([
      ...others,
      ...lowest.flatMap((key) => limit(key, Math.max)),
      ...highest.flatMap((key) => limit(key, Math.min)),
    ]),
    ...(isWhole && { multipleOf: 1 }),
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
