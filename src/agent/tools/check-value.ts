import {
  closeObjects,
  defineTool,
  type JsonSchema,
  object,
  parseJson,
} from "../../contract/index.ts"
import type { ValueCheck } from "../advance.ts"

/** Whether a text is JSON that a schema accepts; models put it between fences. */
export function checkValue(schema: unknown, text: string): ValueCheck {
  if (schema === undefined) return { kind: "none" }
  const json = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1] ?? text
  const result = parseJson(json)
  if (result === undefined) return { kind: "invalid", problem: "The answer is not JSON." }
  const checked = valueTool(schema).check({ result })
  if (!checked.ok) return { kind: "invalid", problem: checked.failure.message }
  return { kind: "valid", value: (checked.value as { result: unknown }).result }
}

/** Throws a DefinitionError for a schema that can't be used. */
export function valueTool(schema: unknown) {
  return defineTool({
    name: "value.check",
    description: "Checks a value.",
    input: closeObjects(object({ result: schema as JsonSchema })),
    run: (input) => input,
  })
}
