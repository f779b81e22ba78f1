import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import { apiNameOf, type Envelope, type Tool } from "../contract/index.ts"

/** A tool as the AI SDK takes it: `generateText({ tools: session.tools({ for: "ai-sdk" }) })`. */
export interface AiSdkTool {
  readonly description: string
  readonly inputSchema: {
    readonly "~standard": StandardSchemaV1.Props<unknown, unknown> &
      StandardJSONSchemaV1.Props<unknown, unknown>
  }
  execute(
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ): Promise<Envelope>
}

export type StartCall = (
  tool: string,
  input: unknown,
  options: { readonly id: string; readonly signal?: AbortSignal | undefined },
) => { readonly envelope: Promise<Envelope> }

export function aiSdkTools(
  tools: readonly Tool[],
  start: StartCall,
): Readonly<Record<string, AiSdkTool>> {
  return Object.fromEntries(tools.map((tool) => [apiNameOf(tool.name), aiSdkTool(tool, start)]))
}

function aiSdkTool({ name, description, inputSchema }: Tool, start: StartCall): AiSdkTool {
  // The SDK closes objects in the schema that it gets, so each time it gets one of its own.
  const describe = () => structuredClone({ ...inputSchema })
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
  }
}
