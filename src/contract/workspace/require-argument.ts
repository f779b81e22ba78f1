import { ToolFailure } from "../envelope/tool-failure.ts"
import { isObject } from "../schema/json.ts"

/**
 * For tools that take arguments apart by hand: each gives the value or fails the call with the
 * field and what it should have been.
 */
type Arguments = Readonly<Record<string, unknown>>

export function requireObject(value: unknown, expected = "a JSON object"): Arguments {
  if (isObject(value)) return value
  throw new ToolFailure({
    kind: "invalid_args",
    message: "The arguments must be a JSON object.",
    expected,
  })
}

export function requireString(args: Arguments, field: string, expected: string): string {
  const value = requirePresent(args, field, expected)
  if (typeof value !== "string") throw wrong(field, expected, "must be a string")
  if (value.trim() === "") throw wrong(field, expected, "must not be empty")
  return value
}

/** A blank one counts as absent. */
export function optionalString(
  args: Arguments,
  field: string,
  expected: string,
): string | undefined {
  const value = own(args, field)
  if (value === undefined) return undefined
  if (typeof value !== "string") throw wrong(field, expected, "must be a string")
  return value.trim() === "" ? undefined : value
}

export function requireStringArray(
  args: Arguments,
  field: string,
  expected: string,
): readonly string[] {
  const value = requirePresent(args, field, expected)
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string")) {
    throw wrong(field, expected, "must be an array of strings")
  }
  return value
}

export function requireInteger(args: Arguments, field: string, expected: string): number {
  const value = requirePresent(args, field, expected)
  if (!Number.isSafeInteger(value)) throw wrong(field, expected, "must be an integer")
  return value as number
}

function requirePresent(args: Arguments, field: string, expected: string): unknown {
  const value = own(args, field)
  if (value !== undefined) return value
  throw new ToolFailure({
    kind: "invalid_args",
    message: `Missing required argument ${JSON.stringify(field)} (${expected}).`,
    field,
    expected,
  })
}

function own(args: Arguments, field: string): unknown {
  return Object.hasOwn(args, field) ? args[field] : undefined
}

function wrong(field: string, expected: string, rule: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `Argument ${JSON.stringify(field)} ${rule}.`,
    field,
    expected,
  })
}
