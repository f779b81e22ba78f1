import { ToolFailure } from "../envelope/tool-failure.ts"
import { isObject } from "../schema/json.ts"

/**
 * For tools that take arguments apart by hand: each gives the value or fails the call with the
 * field and what it should have been.
 */
type Arguments = Readonly<Record<string, unknown>>

export function requireObject(value: unknown, expected = "a JSON object"): Arguments {
  if (isObject(value)) return value
  throw invalid("The arguments must be a JSON object.", undefined, expected)
}

/** Reads an argument that has to be there, and that `accepts` says yes to. */
function required<Value>(rule: string, accepts: (value: unknown) => value is Value) {
  return (args: Arguments, field: string, expected: string): Value => {
    const value = own(args, field)
    if (value === undefined) {
      throw invalid(
        `Missing required argument ${JSON.stringify(field)} (${expected}).`,
        field,
        expected,
      )
    }
    if (!accepts(value)) throw broken(rule, field, expected)
    return value
  }
}

const requireText = required("must be a string", (value) => typeof value === "string")

export function requireString(args: Arguments, field: string, expected: string): string {
  const value = requireText(args, field, expected)
  if (value.trim() === "") throw broken("must not be empty", field, expected)
  return value
}

/** A blank one counts as absent. */
export function optionalString(
  args: Arguments,
  field: string,
  expected: string,
): string | undefined {
  const value = own(args, field) === undefined ? "" : requireText(args, field, expected)
  return value.trim() === "" ? undefined : value
}

export const requireStringArray = required(
  "must be an array of strings",
  (value): value is readonly string[] =>
    Array.isArray(value) && value.every((item) => typeof item === "string"),
)

export const requireInteger = required("must be an integer", (value): value is number =>
  Number.isSafeInteger(value),
)

function own(args: Arguments, field: string): unknown {
  return Object.hasOwn(args, field) ? args[field] : undefined
}

function broken(rule: string, field: string, expected: string): ToolFailure {
  return invalid(`Argument ${JSON.stringify(field)} ${rule}.`, field, expected)
}

function invalid(message: string, field: string | undefined, expected: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, field, expected })
}
