import { checkDefinition } from "./check-definition.ts"
import { createInputCheck } from "./check-input.ts"
import { limits } from "./limits.ts"
import { describeAsJsonSchema } from "./standard-schema.ts"
import type { InputSchema, Tool, ToolDefinition } from "./tool.ts"

/**
 * Defines a tool once: its type, its validation and what a model sees all come from `inputSchema`.
 * Throws a DefinitionError for a definition that could not keep its word.
 */
export function defineTool<const Schema extends InputSchema>(
  definition: ToolDefinition<Schema>,
): Tool {
  const { inputSchema, standard } = describeAsJsonSchema(definition.inputSchema)
  checkDefinition(definition, inputSchema)
  const frozen = deepFreeze(structuredClone(inputSchema))
  const { name, title, description, groups, effects, timeoutMs, run } = definition
  const { outputSchema = null, paths = nothing, sandbox = unnamed, missing = present } = definition
  return Object.freeze({
    name,
    title: title ?? titleFrom(name),
    description,
    inputSchema: frozen,
    check: createInputCheck(frozen),
    groups: Object.freeze([...(groups ?? [])]),
    effects: Object.freeze([...(effects ?? [])]),
    timeoutMs: timeoutMs === undefined ? limits.toolTimeoutMs : timeoutMs,
    outputSchema: outputSchema === null ? null : deepFreeze(structuredClone(outputSchema)),
    paths,
    sandbox,
    missing,
    standard,
    run,
  })
}

const nothing = () => []
const unnamed = () => undefined
const present = () => null

/** "git.status" reads as "Git status". */
function titleFrom(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).join(" ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A schema that its author changes later would no longer be the one that was checked. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part)
    Object.freeze(value)
  }
  return value
}
