import type { JsonSchema } from "./json-schema.ts"
import type { InputSchema, ToolDefinition } from "./tool.ts"

export function checkDefinition<Schema extends InputSchema>(
  _definition: ToolDefinition<Schema>,
  _schema: JsonSchema,
): void {}
