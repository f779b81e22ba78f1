import { Validator } from "@cfworker/json-schema"
import { type Checked, failureKinds, type JsonSchema, type Tool } from "../../src/contract/index.ts"
import { mutateInput } from "./mutate-input.ts"
import { createRandom } from "./random.ts"
import { ValidValues } from "./valid-value.ts"

/** What came of very many inputs. The lists hold the first few of each kind, to look at. */
export interface AttackReport {
  readonly inputs: number
  readonly accepted: number
  /** Accepted, but not as sent. */
  readonly repaired: number
  readonly thrown: Findings
  /** An answer that is neither a value nor a failure as it should be. */
  readonly malformed: Findings
  /** Accepted, but invalid by a validator that shares no code with ours. */
  readonly invalid: Findings
  /** Accepted, but changed or refused when it was checked again. */
  readonly unstable: Findings
  /** The caller's object was changed. */
  readonly mutated: Findings
  /** Took more than `slowMs`. */
  readonly slow: Findings
  readonly slowestMs: number
}

const slowMs = 5

/** Counts all, keeps the first few. */
export class Findings {
  count = 0
  readonly samples: string[] = []

  add(tool: Tool, input: unknown, about: unknown): void {
    this.count += 1
    if (this.samples.length < 5) this.samples.push(`${tool.name} ${show(input)}: ${show(about)}`)
  }
}

/** Checks `count` mutated inputs, in turn for each tool, the same ones for the same seed. */
export function attackChecks(tools: readonly Tool[], count: number, seed: number): AttackReport {
  const random = createRandom(seed)
  const targets = tools.map((tool) => ({
    tool,
    values: new ValidValues(tool.inputSchema, random),
    validator: createValidator(tool.inputSchema),
  }))
  const report = {
    inputs: count,
    accepted: 0,
    repaired: 0,
    thrown: new Findings(),
    malformed: new Findings(),
    invalid: new Findings(),
    unstable: new Findings(),
    mutated: new Findings(),
    slow: new Findings(),
    slowestMs: 0,
  }
  for (let number = 0; number < count; number += 1) {
    const target = targets[number % targets.length]
    if (!target) throw new Error("There is no tool to attack.")
    const { tool, values, validator } = target
    const input = mutateInput(values.next(), random)
    // Comparing takes longer than checking, so only some are compared.
    const before = number % 50 === 0 ? show(input, Number.POSITIVE_INFINITY) : null
    try {
      const { answer, ms } = timeCheck(tool, input)
      report.slowestMs = Math.max(report.slowestMs, ms)
      if (ms > slowMs) report.slow.add(tool, input, `${ms} ms`)
      if (!isWellFormed(answer)) report.malformed.add(tool, input, answer)
      if (!answer.ok) continue
      report.accepted += 1
      if (answer.notes.length > 0) report.repaired += 1
      const problem = problemBy(validator, answer.value)
      if (problem !== null) report.invalid.add(tool, input, problem)
      const again = tool.check(answer.value)
      if (!again.ok || again.notes.length > 0 || !isSame(again.value, answer.value)) {
        report.unstable.add(tool, input, again)
      }
    } catch (error) {
      report.thrown.add(tool, input, error)
    }
    if (before !== null && before !== show(input, Number.POSITIVE_INFINITY)) {
      report.mutated.add(tool, input, before)
    }
  }
  return report
}

/**
 * On a busy machine a check may stand still for a slice of the scheduler or for a garbage
 * collection. That is not its work: one that took long is timed again, alone, three times, or ten
 * while it is over the limit, and its best time counts. A slow check is slow each time.
 */
function timeCheck(tool: Tool, input: unknown): { answer: Checked; ms: number } {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; ; attempt += 1) {
    const started = performance.now()
    const answer = tool.check(input)
    best = Math.min(best, performance.now() - started)
    const attempts = best > slowMs ? 10 : 3
    if (best < 1 || attempt >= attempts) return { answer, ms: best }
  }
}

function isWellFormed(answer: Checked): boolean {
  if (answer.ok) return typeof answer.value === "object" && Array.isArray(answer.notes)
  const { kind, message, field = "", expected = "" } = answer.failure
  const texts = [message, field, expected]
  return (
    Object.hasOwn(failureKinds, kind) &&
    message.length > 0 &&
    texts.every((text) => typeof text === "string" && text.length < 2_000)
  )
}

/** What the other validator has against a value; it writes keys as URIs, and half a character is none. */
function problemBy(validator: Validator, value: unknown): string | null {
  try {
    const { valid, errors } = validator.validate(value)
    return valid ? null : (errors[0]?.error ?? "invalid")
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

function createValidator(schema: JsonSchema): Validator {
  const isDraft07 = schema.$schema?.includes("draft-07") ?? false
  return new Validator(structuredClone(schema) as object, isDraft07 ? "7" : "2020-12")
}

function isSame(one: unknown, other: unknown): boolean {
  return (
    one === other || show(one, Number.POSITIVE_INFINITY) === show(other, Number.POSITIVE_INFINITY)
  )
}

/** As JSON where that is possible, cut short. */
function show(value: unknown, most = 300): string {
  try {
    const text = value instanceof Error ? value.stack : JSON.stringify(value)
    return String(text).slice(0, most)
  } catch (error) {
    return `${typeof value} that can't be shown: ${error}`
  }
}
