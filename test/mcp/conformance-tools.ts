import { setTimeout as wait } from "node:timers/promises"
import { type CallContext, defineTool, type Tool, ToolFailure } from "../../src/contract/index.ts"
import type { Session } from "../../src/session/index.ts"
import { pixel } from "../support/pixel.ts"

const nothing = { type: "object", properties: {}, additionalProperties: false } as const

const silence = Buffer.from(
  "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==",
  "base64",
)

const image = { filename: "pixel.png", mimeType: "image/png", content: pixel }
const sound = { filename: "silence.wav", mimeType: "audio/wav", content: silence }
const text = { filename: "note.txt", mimeType: "text/plain", content: Buffer.from("A note.") }
const json = { filename: "data.json", mimeType: "application/json", content: Buffer.from("{}") }

/** Those that ask: the policy has a person asked about each of them. */
export const askingTools = [
  "test_elicitation",
  "test_input_required_result_elicitation",
  "test_input_required_result_request_state",
  "test_input_required_result_tampered_state",
]

const tool = (name: string, run: (context: CallContext) => unknown) =>
  defineTool({
    name,
    description: `What the conformance suite calls ${name}.`,
    input: nothing,
    run: (_, context) => run(context),
  })

/**
 * The tools that the conformance suite calls by names of its own, as ordinary tools of Toolkeep: they
 * answer with results and artifacts, and it is the server that makes content blocks of those.
 */
export function conformanceTools(session: (context: CallContext) => Session): readonly Tool[] {
  const files = (name: string, ...made: readonly (typeof image)[]) =>
    tool(name, async (context) => {
      const { artifacts } = session(context)
      const kept = await Promise.all(made.map((file) => artifacts.keep(file)))
      return { text: "Made.", made: kept.map(({ id }) => ({ artifact: { id } })) }
    })
  return [
    tool("test_simple_text", () => ({ text: "This is a simple text response for testing." })),
    files("test_image_content", image),
    files("test_audio_content", sound),
    files("test_embedded_resource", text),
    files("test_multiple_content_types", image, json),
    tool("test_error_handling", () => {
      const message = "This tool intentionally returns an error for testing"
      throw new ToolFailure({ kind: "execution_error", message })
    }),
    tool("test_tool_with_progress", async ({ output }) => {
      for (const step of ["0%\n", "50%\n", "100%\n"]) {
        output({ stream: "stdout", bytes: new TextEncoder().encode(step) })
        await wait(60)
      }
      return { text: "Done." }
    }),
    tool("test_reconnection", async () => {
      await wait(100)
      return { text: "Done." }
    }),
    tool("test_trigger_tool_change", (context) => {
      const remove = session(context).addTools([tool("test_more", () => ({ text: "More." }))])
      remove()
      return { text: "Changed." }
    }),
    ...askingTools.slice(1).map((name) => tool(name, () => ({ text: "A person agreed." }))),
    tool("test_input_required_result_list_roots", () => ({ text: "The roots are shown." })),
    elicitation,
    schemaOf2020,
  ]
}

/** Asks by being a tool that the policy has a person asked about. */
const elicitation = defineTool({
  name: "test_elicitation",
  description: "What the conformance suite calls test_elicitation.",
  input: {
    type: "object",
    properties: { message: { type: "string" } },
    required: ["message"],
    additionalProperties: false,
  } as const,
  run: ({ message }) => ({ text: `A person agreed to: ${message}` }),
})

const schemaOf2020 = defineTool({
  name: "json_schema_2020_12_tool",
  description: "Tool with JSON Schema 2020-12 features",
  input: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
        additionalProperties: false,
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { required: ["phone"] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
    then: { required: ["name"] },
    else: { required: ["email"] },
    additionalProperties: false,
  } as const,
  run: () => ({ text: "Taken." }),
})
