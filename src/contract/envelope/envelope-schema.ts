import type { JsonSchema } from "../schema/json-schema.ts"
import { failureKinds } from "./failure-kinds.ts"

/** The envelope of a tool's calls as a JSON Schema: a success with this result, or a failure. */
export function envelopeSchema(result: JsonSchema | null): JsonSchema {
  const { $schema, $defs, definitions, ...own } = result ?? {}
  return {
    ...($schema !== undefined && { $schema }),
    type: "object",
    oneOf: [successWith(own), failureSchema],
    // At the root, because a result's own references start there.
    ...($defs && { $defs }),
    ...(definitions && { definitions }),
  }
}

const text = { type: "string" } as const

function successWith(result: JsonSchema): JsonSchema {
  return {
    type: "object",
    properties: {
      ok: { const: true },
      tool: text,
      result,
      warnings: { type: "array", items: text },
    },
    required: ["ok", "tool", "result"],
    additionalProperties: false,
  }
}

const failureSchema: JsonSchema = {
  type: "object",
  properties: {
    ok: { const: false },
    kind: { enum: Object.keys(failureKinds) },
    message: text,
    field: text,
    expected: text,
    tool: text,
    retryable: { type: "boolean" },
  },
  required: ["ok", "kind", "message", "tool", "retryable"],
  additionalProperties: false,
}
