import { failureKinds } from "../envelope/failure-kinds.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { apiNameOf, type ToolDescription } from "../tool/tool.ts"

export const toolFormats = ["anthropic", "openai", "mcp"] as const
export type ToolFormat = (typeof toolFormats)[number]

export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonSchema
  /** The API keeps the tool from the model until a search refers to it. */
  readonly defer_loading?: true
}

export interface OpenAiTool {
  readonly type: "function"
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: JsonSchema
  }
}

export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** Of the whole envelope, which is what a call's structured content is. */
  readonly outputSchema: JsonSchema
  readonly annotations: Readonly<Record<string, boolean>>
}

export interface RenderedTools {
  readonly anthropic: AnthropicTool
  readonly openai: OpenAiTool
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
  anthropic: (tool) => ({
    name: apiNameOf(tool.name),
    description: tool.description,
    input_schema: tool.inputSchema,
  }),
  openai: (tool) => ({
    type: "function",
    function: {
      name: apiNameOf(tool.name),
      description: tool.description,
      parameters: tool.inputSchema,
    },
  }),
  mcp: (tool) => ({
    name: apiNameOf(tool.name),
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: envelopeSchema(tool.outputSchema),
    annotations: {
      readOnlyHint: tool.effects.every((effect) => effect === "read"),
      destructiveHint: tool.effects.some((effect) => effect === "write" || effect === "execute"),
      openWorldHint: tool.effects.includes("network"),
    },
  }),
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
