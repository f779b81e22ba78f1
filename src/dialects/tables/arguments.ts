import type { JsonSchema } from "../../contract/index.ts"
import type { DialectArgument } from "../dialect-table.ts"

/** Text, not empty unless `more` says so. */
export function text(as: string, description: string, more: JsonSchema = {}): DialectArgument {
  return { as, schema: { type: "string", minLength: 1, ...more, description } }
}

/** A number from 1 on unless `more` says otherwise. */
export function number(as: string, description: string, more: JsonSchema = {}): DialectArgument {
  return { as, schema: { type: "number", minimum: 1, ...more, description } }
}

/** Seconds where the canonical argument takes milliseconds. */
export function seconds(as: string, description: string): DialectArgument {
  return { ...number(as, description, { minimum: 0.001 }), times: 1_000 }
}

/** True or false, false when absent. */
export function flag(as: string, description: string): DialectArgument {
  return { as, schema: { type: "boolean", default: false, description } }
}

/** One of several texts; the first is the default of an argument that is not required. */
export function choice(
  as: string,
  description: string,
  values: readonly [string, ...string[]],
): DialectArgument {
  return { as, schema: { type: "string", enum: values, default: values[0], description } }
}

export function required({ as, times, schema = {} }: DialectArgument): DialectArgument {
  const { default: _, ...rest } = schema
  return { as, required: true, ...(times !== undefined && { times }), schema: rest }
}

/** Text that has to be given. */
export function needed(as: string, description: string, more: JsonSchema = {}): DialectArgument {
  return required(text(as, description, more))
}

/** The content of a file, which may be empty. */
export const content = (description: string) => needed("content", description, { minLength: 0 })
