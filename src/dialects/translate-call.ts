import {
  type Envelope,
  type Failure,
  type FailureDetails,
  failure,
  isObject,
  showResult,
  type Tool,
} from "../contract/index.ts"
import { parsePointer, schemaAt, valueAt, withValueAt } from "./argument-pointer.ts"
import type { CompiledArgument, CompiledEntry } from "./compile-entry.ts"
import type { DialectTexts, ResultShape, ResultSource } from "./dialect-table.ts"
import { type CallFacts, fillText, readInput, timeoutText, withOwnText } from "./dialect-texts.ts"
import { type OwnWords, type Words, withoutArgument } from "./translate-words.ts"

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
  if (!checked.ok) return { kind: "refused", failure: inOwnTerms(compiled, asked, checked.failure) }
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

/** With what the table says to send, and with its kind of failure for a value that is refused. */
function inOwnTerms(
  { entry }: CompiledEntry,
  asked: unknown,
  refused: FailureDetails,
): FailureDetails {
  const { field = "" } = refused
  const { expected, refusal } = entry.arguments?.[field] ?? {}
  const isGiven = Object.hasOwn(readInput(asked), field)
  return {
    ...refused,
    ...(expected !== undefined && { expected }),
    ...(refusal !== undefined && isGiven && { kind: refusal }),
  }
}

function notFor(argument: CompiledArgument, choice: string): FailureDetails {
  return {
    kind: "invalid_args",
    message: `Argument "${argument.name}" is not for "${choice}"; leave it out.`,
    field: argument.name,
  }
}

/** What an answer is translated with. */
export interface AnswerDeps {
  /** What was repaired in the arguments. */
  readonly notes: readonly string[]
  readonly words: Words
  readonly texts: DialectTexts
  readonly facts: CallFacts
}

/** A canonical answer in the dialect's words. */
export function translateEnvelope(
  compiled: CompiledEntry,
  envelope: Envelope,
  { notes, words, texts, facts }: AnswerDeps,
): Envelope {
  const said = words.translateEnvelope(envelope, ownWords(compiled, envelope.tool ?? ""))
  if (!said.ok) return withOwnText(translateFailure(compiled, said), texts, facts)
  const { name, entry } = compiled
  const result = withTimeout(said.result, timeoutText(texts, facts))
  const refusal = isObject(result) ? entry.refuses?.[String(result.kind)] : undefined
  if (refusal !== undefined) {
    const message = fillText(refusal, readInput(facts.input)) ?? refusal
    return failure(name, { kind: "invalid_args", message })
  }
  const { result: shape } = entry
  const cut = shape && hidesCut(shape, result) ? [cutWarning(result)] : []
  const warnings = [...notes, ...(said.warnings ?? []), ...cut]
  const tool = [...compiled.tools.values()].find((one) => one.name === envelope.tool)
  return {
    ok: true,
    tool: name,
    result: shape ? shapeResult(shape, result, tool) : result,
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

/** A command that its timeout ended also says so in the dialect's words, where it has some. */
function withTimeout(result: unknown, text: string | null): unknown {
  const isLate = isObject(result) && result.timed_out === true && "exit_code" in result
  return isLate && text !== null ? { ...result, error: text } : result
}

function ownWords({ name, entry, tools }: CompiledEntry, canonical: string): OwnWords {
  const said = Object.entries(entry.arguments ?? {}).map(
    ([argument, { as }]) => [as, argument] as const,
  )
  const own = new Map(said)
  const all = [...tools.values()].flatMap((tool) => Object.keys(tool.inputSchema.properties ?? {}))
  return { tool: name, canonical, arguments: own, absent: all.filter((one) => !own.has(one)) }
}

function cutWarning(result: unknown): string {
  const next = isObject(result) ? result.next_offset : undefined
  const where = typeof next === "number" ? ` The rest starts at byte ${next}.` : ""
  return `This is not all of it: the answer was cut to its limit.${where}`
}

function translateFailure(compiled: CompiledEntry, failed: Failure): Failure {
  const { field, message, expected, ...rest } = failed
  const { name: tool } = compiled
  if (field === undefined) return { ...failed, tool }
  const argument = argumentFor(compiled, field)
  if (argument === undefined) return { ...rest, tool, message: withoutArgument(message, field) }
  const wanted = compiled.entry.arguments?.[argument]?.expected ?? expected
  return {
    ...rest,
    tool,
    message: message.replaceAll(`"${field}"`, `"${argument}"`),
    field: argument,
    ...(wanted !== undefined && { expected: wanted }),
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
function shapeResult(
  shape: ResultShape,
  result: unknown,
  tool: Tool | undefined,
): Readonly<Record<string, unknown>> {
  const found = (source: ResultSource) => valueFrom(source, result, tool)
  const fields = Object.entries(shape).map(([name, source]) => [name, found(source)])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

function valueFrom(source: ResultSource, result: unknown, tool: Tool | undefined): unknown {
  if (typeof source === "string") return valueAt(result, parsePointer(source) ?? [])
  if ("value" in source) return source.value
  if ("text" in source) {
    const fields = isObject(result) ? result : {}
    return fillText(source.text, { ...fields, shown: showResult(tool, result) }) ?? undefined
  }
  const items = valueAt(result, parsePointer(source.each) ?? [])
  return Array.isArray(items)
    ? items.map((item) => shapeResult(source.fields, item, undefined))
    : undefined
}

/** Whether a result was cut and the vocabulary has no word for that. */
function hidesCut(shape: ResultShape, result: unknown): boolean {
  if (!isObject(result) || result.truncated !== true) return false
  return !Object.values(shape).includes("truncated")
}
