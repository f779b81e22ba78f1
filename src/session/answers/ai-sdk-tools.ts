import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import {
  apiNameOf,
  copyInput,
  type Envelope,
  modelSchema,
  type RenderedEnvelopes,
  type ResultImage,
  renderEnvelope,
  type Tool,
} from "../../contract/index.ts"

/** A tool as the AI SDK takes it: `generateText({ tools: session.tools({ for: "ai-sdk" }) })`. */
export interface AiSdkTool {
  description: string
  inputSchema: {
    readonly "~standard": StandardSchemaV1.Props<unknown, unknown> &
      StandardJSONSchemaV1.Props<unknown, unknown>
  }
  execute(
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ): Promise<Envelope>
  /** What the model gets: the envelope, marked where it is a failure, and images. */
  toModelOutput(options: { readonly output: Envelope }): Promise<RenderedEnvelopes["ai-sdk"]>
}

export interface AiSdkDeps {
  readonly start: (
    tool: string,
    input: unknown,
    options: { readonly id: string; readonly signal?: AbortSignal | undefined },
  ) => { readonly envelope: Promise<Envelope> }
  /** The images that an answer names. */
  readonly images: (envelope: Envelope) => Promise<readonly ResultImage[]>
}

export function aiSdkTools(tools: readonly Tool[], deps: AiSdkDeps): Record<string, AiSdkTool> {
  return Object.fromEntries(tools.map((tool) => [apiNameOf(tool.name), aiSdkTool(tool, deps)]))
}

function aiSdkTool(tool: Tool, { start, images }: AiSdkDeps): AiSdkTool {
  const { name, description, inputSchema } = tool
  // The SDK closes objects in the schema that it gets, so each time it gets one of its own.
  const describe = () => copyInput({ ...modelSchema(inputSchema) })
  return {
    description,
    inputSchema: {
      "~standard": {
        version: 1,
        vendor: "toolkeep",
        // The call itself repairs and checks: a mistake is answered in the envelope, for the model to read.
        validate: (value) => ({ value }),
        jsonSchema: { input: describe, output: describe },
      },
    },
    execute: (input, { toolCallId, abortSignal }) =>
      start(name, input, { id: toolCallId, signal: abortSignal }).envelope,
    toModelOutput: async ({ output }) =>
      renderEnvelope("ai-sdk", output, { images: await images(output) }),
  }
}
