import type { ErrorObject } from "ajv/dist/core.js"
import { errorText } from "../../kit/index.ts"
import { dialectOf } from "../schema/check-schema.ts"
import { DefinitionError } from "../schema/definition-error.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { canCompile, createAjv } from "./create-ajv.ts"
import { interpretSchema } from "./interpret-schema.ts"

type OutputCheck = (result: unknown) => readonly ErrorObject[] | null

/** Compiled when it is needed: what a tool returns plainly is checked by the compiler that its author uses. */
const compiled = new WeakMap<JsonSchema, OutputCheck>()

/** What is wrong with a result by the tool's output schema, as the end of a sentence; null for nothing. */
export function outputProblem(schema: JsonSchema, result: unknown): string | null {
  const check = compiled.get(schema) ?? compileOutput(schema)
  compiled.set(schema, check)
  const problems = check(result)
  if (problems === null) return null
  const { instancePath = "", message = "does not fit" } = problems[0] ?? {}
  return `${`result${instancePath.replaceAll("/", ".")}`} ${message}`
}

/** Throws a DefinitionError for a schema that can't be enforced. Keywords of other programs are left to those. */
export function compileOutput(schema: JsonSchema): OutputCheck {
  if (!canCompile()) return (result) => interpretSchema(schema, result, { root: schema })
  const { $schema: _dialect, ...rest } = schema
  try {
    const validate = createAjv(dialectOf(schema) ?? "draft-2020-12").compile(rest)
    return (result) => (validate(result) ? null : (validate.errors ?? []))
  } catch (cause) {
    throw new DefinitionError(`The output schema can't be compiled: ${errorText(cause)}`, { cause })
  }
}
