import { createInputCheck, type InputCheck } from "../input/check-input.ts"
import { limits } from "../limits.ts"
import { copyInput } from "../schema/copy-input.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { checkDefinition } from "./check-definition.ts"
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
  // A schema that its author changes later would no longer be the one that was checked.
  const frozen = deepFreeze(copyInput(inputSchema))
  const { outputSchema = null } = definition
  const frozenOutput = deepFreeze(copyInput(outputSchema))
  return Object.freeze({
    ...usual(definition),
    inputSchema: frozen,
    check: createInputCheck(frozen),
    outputSchema: frozenOutput,
    standard,
  })
}

/**
 * A tool of Toolkeep's own. The definition is one that the tests have put through `defineTool`, so it is
 * neither checked nor copied again, and frozen only when it is looked at: fifty of them are made for every
 * session, of which a command line's single call uses one.
 */
export function defineOwnTool<const Schema extends JsonSchema>(
  definition: ToolDefinition<Schema>,
): Tool {
  const { outputSchema = null } = definition
  let check: InputCheck | null = null
  const tool: Tool = {
    ...usual(definition),
    get inputSchema() {
      return deepFreeze(definition.inputSchema)
    },
    check(input) {
      check ??= createInputCheck(tool.inputSchema)
      return check(input)
    },
    get outputSchema() {
      return deepFreeze(outputSchema)
    },
    standard: null,
  }
  return Object.freeze(tool)
}

/** What is the same for all tools, with what a definition leaves out. */
function usual<Schema extends InputSchema>(definition: ToolDefinition<Schema>) {
  const { name, title, description, groups, effects, timeoutMs, run } = definition
  const { pathArguments = [], paths = noPaths, sandbox = unnamed, missing = present } = definition
  return {
    name,
    title: title ?? titleFrom(name),
    description,
    groups: Object.freeze([...(groups ?? [])]),
    effects: Object.freeze([...(effects ?? [])]),
    timeoutMs: timeoutMs === undefined ? limits.toolTimeoutMs : timeoutMs,
    pathArguments: Object.freeze([...pathArguments]),
    paths,
    sandbox,
    missing,
    run,
  }
}

/** What a tool uses that says nothing about it. */
export const noPaths = (): readonly never[] => []

const unnamed = () => undefined
const present = () => null

/** "git.status" reads as "Git status". */
function titleFrom(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).join(" ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What is frozen on the outside has been frozen to its depths: nothing else freezes schemas. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
