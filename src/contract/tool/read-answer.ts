import { type Answer, readReturned } from "../envelope/returned-answer.ts"
import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { ownProperty, sameValueNodes } from "../schema/schema-places.ts"
import { typesOf } from "../schema/schema-walk.ts"
import { outputProblem } from "../validate/check-output.ts"
import type { Tool } from "./tool.ts"

/** What a tool answers with what it returned: that is its result, or an envelope or a ToolResult, which is not wrapped again. */
export function readAnswer({ outputSchema }: Pick<Tool, "outputSchema">, value: unknown): Answer {
  const said = readReturned(value)
  if (said === null || (outputSchema && isDeclared(outputSchema, value))) {
    return { ok: true, result: value, warnings: [] }
  }
  const problem = outputSchema && said.ok ? outputProblem(outputSchema, said.result) : null
  if (problem === null) return said
  return {
    ok: false,
    failure: {
      kind: "execution_error",
      message: `The tool ran, but its answer does not fit its output schema: ${problem}.`,
      retryable: false,
    },
  }
}

/** The keys by which an envelope, a ToolResult and an older failure are known. */
const verdicts = ["ok", "success", "error"]

/**
 * Whether a value that looks like an envelope is the result that the output schema describes: the schema mentions
 * text, or one of these keys, and accepts the value. A schema that takes anything describes nothing.
 */
function isDeclared(output: JsonSchema, value: unknown): boolean {
  const keys = isObject(value) ? verdicts.filter((key) => Object.hasOwn(value, key)) : []
  const mentionsIt = sameValueNodes([{ schema: output, pointer: [] }], output).some(({ schema }) =>
    typeof value === "string"
      ? typesOf(schema).includes("string")
      : keys.some((key) => ownProperty(schema, key) !== undefined),
  )
  return mentionsIt && outputProblem(output, value) === null
}
