import { closeObjects } from "../schema/close-objects.ts"
import { DefinitionError } from "../schema/definition-error.ts"
import { isObject, isPlainObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { knownFields } from "./check-definition.ts"
import type { CallContext, ReturnedAnswer, Tool, ToolDefinition } from "./tool.ts"

type MoreFields = Pick<
  ToolDefinition,
  "title" | "groups" | "effects" | "timeoutMs" | "pathArguments" | "unavailableReason"
>

/** Document 004's tool. Its schema may leave its objects open; they are closed. */
export interface ToolObject<Name extends string = string> extends MoreFields {
  readonly name: Name
  readonly description: string
  readonly inputSchema: object
  /** Gets the checked arguments, and the context of the call. */
  readonly execute: (args: never, context: CallContext) => ReturnedAnswer | Promise<ReturnedAnswer>
}

/** The tool that such an object makes; its `execute` is called as it is, without a check of the arguments. */
export type ToolOfObject<Made extends ToolObject> = Tool<
  Made["name"],
  Readonly<Record<string, unknown>>,
  { readonly text: string }
> &
  Pick<Made, "execute">

/** The tool, where it is one; else what `defineTool` makes of it. */
export type AsTool<Given extends Tool | ToolObject> = Given extends Tool
  ? Given
  : Given extends ToolObject
    ? ToolOfObject<Given>
    : never

export function isToolObject(definition: object): definition is ToolObject {
  return "execute" in definition && !("run" in definition)
}

/** The same as a definition. `execute` is called on the object: it may be an instance that has more. */
export function definitionOf(object: ToolObject): ToolDefinition {
  const { name, description, inputSchema, execute, ...more } = object
  if (typeof execute !== "function") {
    throw new DefinitionError(`Tool ${JSON.stringify(name)}: \`execute\` must be a function.`)
  }
  const isPlain = isPlainObject(object)
  const said = Object.entries(more).filter(([field]) => isPlain || knownFields.includes(field))
  return {
    ...Object.fromEntries(said),
    name,
    description,
    input: isClosable(inputSchema) ? closeObjects(inputSchema) : (inputSchema as never),
    run: (input, context) => object.execute(input as never, context),
  }
}

/** A schema of a library closes itself. */
function isClosable(schema: unknown): schema is JsonSchema {
  return isObject(schema) && !("~standard" in schema)
}
