import { createInputCheck, type InputCheck } from "../input/check-input.ts"
import { limits } from "../limits.ts"
import { copyInput } from "../schema/copy-input.ts"
import { checkDefinition } from "./check-definition.ts"
import { describeAsJsonSchema } from "./standard-schema.ts"
import type { DefinedTool, Returned, Tool, ToolDefinition, ToolSchema } from "./tool.ts"
import { definitionOf, isToolObject, type ToolObject, type ToolOfObject } from "./tool-object.ts"

/**
 * Defines a tool once: its types, its validation, what a model sees and what a person reads come from here.
 * Throws a DefinitionError for a definition that could not keep its word.
 */
export function defineTool<
  const Name extends string,
  const Input extends ToolSchema,
  const Output extends ToolSchema | undefined,
  const Result extends Returned<Output>,
>(definition: ToolDefinition<Name, Input, Output, Result>): DefinedTool<Name, Input, Output>
export function defineTool<const Made extends ToolObject>(object: Made): ToolOfObject<Made>
export function defineTool(given: ToolObject | ToolDefinition): Tool {
  if (!isToolObject(given)) return define(given)
  const execute: ToolObject["execute"] = (args, context) => given.execute(args, context)
  return Object.freeze({ ...define(definitionOf(given)), execute })
}

/** The tool itself, or the one that an author's object makes. */
export function asTool(given: Tool | ToolObject): Tool {
  return "check" in given && typeof given.check === "function" ? given : defineTool(given as never)
}

function define(definition: ToolDefinition): Tool {
  const { inputSchema, outputSchema, standard } = describeAsJsonSchema(definition)
  if (!isTrusting) checkDefinition(definition, { inputSchema, outputSchema })
  // A schema that its author changes later would no longer be the one that was checked.
  const [own, ownOutput] = isTrusting
    ? [inputSchema, outputSchema]
    : [copyInput(inputSchema), copyInput(outputSchema)]
  let check: InputCheck | null = null
  const { name, title, description, groups, effects, timeoutMs, run, show } = definition
  const { pathArguments = [], paths, sandbox, pathSandboxes, unavailableReason } = definition
  return Object.freeze({
    name,
    title: title ?? titleFrom(name),
    description,
    // Frozen when it is looked at: of fifty tools, a single call looks at one (bench row cold-call).
    get inputSchema() {
      return deepFreeze(own)
    },
    // Compiled by the first call: a session has fifty tools and a command line's single call uses one.
    check(input: unknown) {
      check ??= createInputCheck(deepFreeze(own))
      return check(input)
    },
    get outputSchema() {
      return deepFreeze(ownOutput)
    },
    groups: Object.freeze([...(groups ?? [])]),
    effects: Object.freeze([...(effects ?? [])]),
    timeoutMs: timeoutMs === undefined ? limits.toolTimeoutMs : timeoutMs,
    pathArguments: Object.freeze([...pathArguments]),
    paths: paths ?? noPaths,
    sandbox: sandbox ?? noSandbox,
    ...(pathSandboxes && { pathSandboxes }),
    unavailableReason: unavailableReason ?? available,
    standard,
    run,
    show: show ?? null,
  })
}

let isTrusting = false

/**
 * Defines the built-in tools without checking and copying their definitions in every process; the tests check each.
 * For the bench row cold-call: that is a tenth of a command line's single call.
 */
export function defineTrusted<Tools>(define: () => Tools): Tools {
  isTrusting = true
  try {
    return define()
  } finally {
    isTrusting = false
  }
}

/** The paths of a tool that declares none. */
export const noPaths = (): readonly never[] => []

/** The sandbox of a tool that names none. */
export const noSandbox = (): undefined => undefined
const available = () => null

/** "git.status" reads as "Git status". */
function titleFrom(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).join(" ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
