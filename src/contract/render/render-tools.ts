import { failureKinds } from "../envelope/failure-kinds.ts"
import { copyInput } from "../schema/copy-input.ts"
import type { OwnJson } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { apiNameOf, type ToolDescription } from "../tool/tool.ts"
import { geminiSchema } from "./gemini-schema.ts"
import { modelSchema, portableSchema } from "./model-schema.ts"

export const toolFormats = ["anthropic", "openai", "openai-responses", "gemini", "mcp"] as const
export type ToolFormat = (typeof toolFormats)[number]

/** A schema that its receiver may change: SDKs do. */
interface ObjectSchema {
  type: "object"
  properties?: { [name: string]: { [keyword: string]: OwnJson } }
  required?: string[]
  [keyword: string]: unknown
}

export interface AnthropicTool {
  name: string
  description: string
  input_schema: ObjectSchema
  /** The API keeps the tool from the model until a search refers to it. */
  defer_loading?: true
}

export interface McpTool {
  name: string
  title: string
  description: string
  inputSchema: ObjectSchema
  /** Of the whole envelope, which is what a call's structured content is. */
  outputSchema: ObjectSchema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; openWorldHint: boolean }
}

export interface RenderedTools {
  readonly anthropic: AnthropicTool
  /** For chat completions. */
  readonly openai: {
    type: "function"
    function: { name: string; description: string; parameters: ObjectSchema }
  }
  readonly "openai-responses": {
    type: "function"
    name: string
    description: string
    parameters: ObjectSchema
    /** Strict schemas have no optional arguments, and these have. */
    strict: false
  }
  /** A function declaration. */
  readonly gemini: { name: string; description: string; parametersJsonSchema: ObjectSchema }
  readonly mcp: McpTool
}

/** Tools in the form that a model provider or an MCP client expects, in the order given. */
export function renderTools<Format extends ToolFormat>(
  format: Format,
  tools: readonly ToolDescription[],
): RenderedTools[Format][] {
  const render: (tool: ToolDescription) => RenderedTools[Format] = renderers[format]
  return tools.map(render)
}

const renderers: {
  readonly [Format in ToolFormat]: (tool: ToolDescription) => RenderedTools[Format]
} = {
  anthropic: ({ name, description, inputSchema }) => ({
    name: apiNameOf(name),
    description,
    input_schema: toSend(modelSchema(inputSchema)),
  }),
  openai: ({ name, description, inputSchema }) => ({
    type: "function",
    function: { name: apiNameOf(name), description, parameters: toSend(modelSchema(inputSchema)) },
  }),
  "openai-responses": ({ name, description, inputSchema }) => ({
    type: "function",
    name: apiNameOf(name),
    description,
    parameters: toSend(modelSchema(inputSchema)),
    strict: false,
  }),
  gemini: ({ name, description, inputSchema }) => ({
    name: apiNameOf(name),
    description,
    parametersJsonSchema: toSend(geminiSchema(modelSchema(inputSchema))),
  }),
  mcp: (tool) => ({
    name: apiNameOf(tool.name),
    title: tool.title,
    description: tool.description,
    inputSchema: toSend(portableSchema(tool.inputSchema)),
    outputSchema: toSend(envelopeSchema(tool.outputSchema && portableSchema(tool.outputSchema))),
    annotations: {
      readOnlyHint: tool.effects.every((effect) => effect === "read"),
      destructiveHint: tool.effects.some((effect) => effect === "write" || effect === "execute"),
      openWorldHint: tool.effects.includes("network"),
    },
  }),
}

/** A copy, since a tool's own schema is frozen. Every definition has been checked to be about an object. */
function toSend(schema: JsonSchema): ObjectSchema {
  return copyInput(schema) as ObjectSchema
}

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
