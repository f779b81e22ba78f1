import {
  type Checked,
  defineTool,
  type FailureDetails,
  type InputCheck,
  type JsonSchema,
} from "../../../src/contract/index.ts"

/** For tests: an object schema, closed as every one has to be. */
export function object(properties: object, more: object = {}): object {
  return { type: "object", properties, additionalProperties: false, ...more }
}

/** The check of a tool that has this input schema. */
export function checkFor(inputSchema: unknown): InputCheck {
  const name = "demo.tool"
  const description = "A demonstration."
  return defineTool({ name, description, input: inputSchema as JsonSchema, run() {} }).check
}

export function failureOf(inputSchema: unknown, input: unknown): FailureDetails | "accepted" {
  const checked = checkFor(inputSchema)(input)
  return checked.ok ? "accepted" : checked.failure
}

export function accepted(value: object, notes: readonly string[] = []): Checked {
  return { ok: true, value: value as Record<string, unknown>, notes }
}

export function invalid(message: string, field: string | undefined, expected: string | undefined) {
  return { kind: "invalid_args", message, field, expected }
}
