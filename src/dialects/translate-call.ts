import {
  type Envelope,
  type Failure,
  type FailureDetails,
  isObject,
  type Tool,
} from "../contract/index.ts"
import { parsePointer, schemaAt, valueAt, withValueAt } from "./argument-pointer.ts"
import type { CompiledArgument, CompiledEntry } from "./compile-entry.ts"
import type { ResultShape, ResultSource } from "./dialect-table.ts"
import type { OwnWords, Words } from "./translate-words.ts"

export type TranslatedCall =
  | {
      readonly kind: "call"
      readonly tool: Tool
      readonly input: unknown
      readonly notes: readonly string[]
    }
  | { readonly kind: "refused"; readonly failure: FailureDetails }

/** What was asked in a vocabulary's words, in the canonical ones. */
export function translateCall(compiled: CompiledEntry, asked: unknown): TranslatedCall {
  const checked = compiled.check(asked)
  if (!checked.ok) return { kind: "refused", failure: checked.failure }
  const { entry, tools } = compiled
  const choice = typeof entry.tool === "string" ? "" : String(checked.value[entry.tool.by])
  const tool = tools.get(choice)
  if (!tool) throw new Error(`The schema accepted ${JSON.stringify(choice)}.`)
  let input: unknown = { ...entry.with }
  for (const argument of compiled.places) {
    const value = checked.value[argument.name]
    if (value === undefined) continue
    if (!schemaAt(tool.inputSchema, argument.place)) {
      if (value === argument.byDefault) continue
      return { kind: "refused", failure: notFor(argument, choice) }
    }
    input = withValueAt(input, argument.place, argument.toCanonical(value))
  }
  return { kind: "call", tool, input, notes: checked.notes }
}

function notFor(argument: CompiledArgument, choice: string): FailureDetails {
  return {
    kind: "invalid_args",
    message: `Argument "${argument.name}" is not for "${choice}"; leave it out.`,
    field: argument.name,
  }
}

/** A canonical answer in the dialect's words. */
export function translateEnvelope(
  compiled: CompiledEntry,
  envelope: Envelope,
  { notes, words }: { readonly notes: readonly string[]; readonly words: Words },
): Envelope {
  const said = words.translateEnvelope(envelope, ownWords(compiled, envelope.tool ?? ""))
  if (!said.ok) return translateFailure(compiled, said)
  const { result: shape } = compiled.entry
  const cut = shape && hidesCut(shape, said.result) ? [cutWarning(said.result)] : []
  const warnings = [...notes, ...(said.warnings ?? []), ...cut]
  return {
    ok: true,
    tool: compiled.name,
    result: shape ? shapeResult(shape, said.result) : said.result,
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

function ownWords({ name, entry }: CompiledEntry, canonical: string): OwnWords {
  const said = Object.entries(entry.arguments ?? {}).map(
    ([argument, { as }]) => [as, argument] as const,
  )
  return { tool: name, canonical, arguments: new Map(said) }
}

function cutWarning(result: unknown): string {
  const next = isObject(result) ? result.next_offset : undefined
  const where = typeof next === "number" ? ` The rest starts at byte ${next}.` : ""
  return `This is not all of it: the answer was cut to its limit.${where}`
}

function translateFailure(compiled: CompiledEntry, failed: Failure): Failure {
  const { field, message, ...rest } = failed
  const argument = field === undefined ? undefined : argumentFor(compiled, field)
  return {
    ...rest,
    tool: compiled.name,
    message: field && argument ? message.replaceAll(`"${field}"`, `"${argument}"`) : message,
    ...(argument === undefined ? {} : { field: argument }),
  }
}

/** The argument that became this field, or a part of it; a field of no argument is nothing to a model. */
function argumentFor({ places, entry }: CompiledEntry, field: string): string | undefined {
  const said = entry.arguments ?? {}
  const exact = places.find(({ name }) => said[name]?.as === field)
  const around = places.find(({ name }) => field.startsWith(`${said[name]?.as}`))
  return (exact ?? around)?.name
}

/** A canonical result with the fields, and only the fields, that a vocabulary knows. */
function shapeResult(shape: ResultShape, result: unknown): Readonly<Record<string, unknown>> {
  const fields = Object.entries(shape).map(([name, source]) => [name, valueFrom(source, result)])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

function valueFrom(source: ResultSource, result: unknown): unknown {
  if (typeof source === "string") return valueAt(result, parsePointer(source) ?? [])
  if ("value" in source) return source.value
  const items = valueAt(result, parsePointer(source.each) ?? [])
  return Array.isArray(items) ? items.map((item) => shapeResult(source.fields, item)) : undefined
}

/** Whether a result was cut and the vocabulary has no word for that. */
function hidesCut(shape: ResultShape, result: unknown): boolean {
  if (!isObject(result) || result.truncated !== true) return false
  return !Object.values(shape).includes("truncated")
}
