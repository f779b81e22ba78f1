import type { FailureDetails } from "../envelope/envelope.ts"
import { limits } from "../limits.ts"
import { fieldName } from "../schema/argument-path.ts"
import { describeValue } from "../schema/describe-schema.ts"
import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { compileSchema } from "../validate/compile-schema.ts"
import { describeProblem } from "../validate/describe-problem.ts"
import { isTooMuchWork } from "../validate/step-budget.ts"
import { defaultsFiller } from "./fill-defaults.ts"
import { isDeeperThan, limitsDepth, startsTooDeep } from "./input-depth.ts"
import { type InexactNumber, parseExactly } from "./parse-exactly.ts"
import { repairInput } from "./repair-input.ts"

export type Checked =
  | {
      readonly ok: true
      readonly value: Readonly<Record<string, unknown>>
      readonly notes: readonly string[]
    }
  | { readonly ok: false; readonly failure: FailureDetails }

/** Checks, and where needed repairs, what a model sent for one schema. Never throws for an input. */
export type InputCheck = (input: unknown) => Checked

/** Compiles on the first input, so that ten thousand tools cost nothing until they are called. */
export function createInputCheck(schema: JsonSchema): InputCheck {
  let check: InputCheck | null = null
  return (input) => {
    check ??= compileCheck(schema)
    return check(input)
  }
}

function compileCheck(schema: JsonSchema): InputCheck {
  const compiled = compileSchema(schema)
  const fill = defaultsFiller(schema, compiled)
  const mayBeDeep = !limitsDepth(schema)
  const accept = (value: unknown, notes: readonly string[]): Checked => ({
    ok: true,
    value: fill(value) as Record<string, unknown>,
    notes,
  })

  function checkValue(read: Checked & { readonly ok: true }): Checked {
    const judgement = compiled.judge(read.value)
    if (judgement === "fine") return read
    if (judgement === "incomplete") return accept(read.value, none)
    const repaired = repairInput(schema, compiled, read.value)
    if (repaired.inexact) return tooPrecise(repaired.inexact)
    const problems = compiled.problems(repaired.value)
    return problems
      ? { ok: false, failure: describeProblem(problems, repaired.value, schema) }
      : accept(repaired.value, repaired.notes.slice(0, limits.warnings))
  }

  return (input) => {
    const read = readArguments(input)
    if (!read.ok) return read
    if (mayBeDeep && isDeeperThan(limits.inputDepth, read.value)) return tooDeep()
    try {
      return checkValue(read)
    } catch (error) {
      if (isTooMuchWork(error)) return tooMuchWork()
      throw error
    }
  }
}

const none: readonly string[] = Object.freeze([])

/** A longer text that is not an object is refused without a closer look at what it is. */
const longestOther = 1_000

/** Providers hand arguments over as an object or as its JSON text; nothing at all means no arguments. */
function readArguments(input: unknown): Checked {
  if (isObject(input)) return { ok: true, value: input, notes: none }
  if (input === undefined) return { ok: true, value: {}, notes: none }
  if (typeof input !== "string") {
    return refuse(`The arguments must be a JSON object; got ${describeValue(input)}.`)
  }
  if (input.length > limits.inputBytes) {
    return refuse(`The arguments are larger than ${limits.inputBytes} bytes.`)
  }
  const text = input.trim()
  if (text === "") return { ok: true, value: {}, notes: none }
  if (startsTooDeep(text)) return tooDeep()
  // A list is never what is meant. A long one takes long to parse, and so does a number of a million digits.
  if (text.startsWith("[")) return refuse("The arguments must be a JSON object; got a list.")
  if (!text.startsWith("{") && text.length > longestOther) {
    return refuse("The arguments must be a JSON object; got another text.")
  }
  try {
    const { value, inexact } = parseExactly(text)
    if (inexact) return tooPrecise(inexact)
    return isObject(value)
      ? { ok: true, value, notes: none }
      : refuse(`The arguments must be a JSON object; got ${describeValue(value)}.`)
  } catch (error) {
    return refuse(`The arguments are not valid JSON${placeOf(error)}. Send one JSON object.`)
  }
}

/** V8 names the position, and also quotes the text, which must not be echoed. */
function placeOf(error: unknown): string {
  const position = error instanceof Error ? /position \d+/.exec(error.message)?.[0] : undefined
  return position ? ` (at ${position})` : ""
}

function tooDeep(): Checked {
  return refuse(`The arguments are nested too deeply: at most ${limits.inputDepth} levels.`)
}

function tooMuchWork(): Checked {
  return refuse(
    "The arguments take too many steps to check against this tool's schema; send less, or nest it less deeply.",
  )
}

function tooPrecise({ path, source }: InexactNumber): Checked {
  const field = fieldName(path)
  const { quotedCharacters } = limits
  const shown = source.length > quotedCharacters ? `${source.slice(0, quotedCharacters)}…` : source
  const name = field === "" ? "The number" : `Argument ${JSON.stringify(field)}:`
  return {
    ok: false,
    failure: {
      kind: "invalid_args",
      message: `${name} ${shown} can't be held exactly. Whole numbers go up to ${Number.MAX_SAFE_INTEGER}.`,
      field: field === "" ? undefined : field,
      expected: `a number from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
    },
  }
}

function refuse(message: string): Checked {
  return {
    ok: false,
    failure: {
      kind: "invalid_args",
      message,
      expected: 'a JSON object such as {"path": "notes.md"}',
    },
  }
}
