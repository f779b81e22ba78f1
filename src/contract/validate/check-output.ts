import type { ErrorObject } from "ajv/dist/core.js"
import { errorText } from "../../kit/index.ts"
import { DefinitionError } from "../schema/definition-error.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { markSteps } from "./count-steps.ts"
import { canCompile, createAjv } from "./create-ajv.ts"
import { interpretSchema } from "./interpret-schema.ts"
import { isTooMuchWork, StepBudget } from "./step-budget.ts"

type OutputCheck = (result: unknown) => readonly ErrorObject[] | null

/** Compiled when it is needed: what a tool returns plainly is checked by the compiler that its author uses. */
const compiled = new WeakMap<JsonSchema, OutputCheck>()

/** What is wrong with a result by the tool's output schema, as the end of a sentence; null for nothing. */
export function outputProblem(schema: JsonSchema, result: unknown): string | null {
  const check = compiled.get(schema) ?? compileOutput(schema)
  compiled.set(schema, check)
  try {
    const problems = check(result)
    if (problems === null) return null
    const { instancePath = "", message = "does not fit" } = problems[0] ?? {}
    return `${`result${instancePath.replaceAll("/", ".")}`} ${message}`
  } catch (error) {
    if (!isTooMuchWork(error)) throw error
    return "result takes too many steps to check"
  }
}

/** Throws a DefinitionError for a schema that can't be enforced. Keywords of other programs are left to those. */
export function compileOutput(schema: JsonSchema): OutputCheck {
  const budget = new StepBudget()
  const interpret: OutputCheck = (result) =>
    interpretSchema(schema, result, { root: schema, budget })
  const check = canCompile() ? compile(schema, budget) : interpret
  return (result) => {
    budget.start(result)
    return check(result)
  }
}

function compile(schema: JsonSchema, budget: StepBudget): OutputCheck {
  const { $schema: _dialect, ...rest } = markSteps(schema)
  try {
    const validate = createAjv(schema, budget).compile(rest)
    return (result) => (validate(result) ? null : (validate.errors ?? []))
  } catch (cause) {
    throw new DefinitionError(`The output schema can't be compiled: ${errorText(cause)}`, { cause })
  }
}
