import { expect, it } from "vitest"
import { apiNameOf, defineTool, type Effect, renderTools, toolFormats } from "../index.ts"

const inputSchema = {
  type: "object",
  properties: { path: { type: "string" } },
  additionalProperties: false,
} as const

const tool = (name: string, effects: readonly Effect[] = []) =>
  defineTool({ name, description: `Does ${name}.`, input: inputSchema, effects, run() {} })

const tools = [tool("git.status", ["read"]), tool("mcp:files:read_text")]

it("R3.schemas, R3.order, Y3.sent: OpenAI's functions, in the order given", () => {
  expect(renderTools("openai", tools)).toEqual([
    {
      type: "function",
      function: { name: "git_status", description: "Does git.status.", parameters: inputSchema },
    },
    {
      type: "function",
      function: {
        name: "mcp_files_read_text",
        description: "Does mcp:files:read_text.",
        parameters: inputSchema,
      },
    },
  ])
})

it("Y3.sent: Anthropic's tools", () => {
  expect(renderTools("anthropic", tools.slice(0, 1))).toEqual([
    { name: "git_status", description: "Does git.status.", input_schema: inputSchema },
  ])
})

it.each<[readonly Effect[], object]>([
  [["read"], { readOnlyHint: true, destructiveHint: false, openWorldHint: false }],
  [["read", "write"], { readOnlyHint: false, destructiveHint: true, openWorldHint: false }],
  [["execute"], { readOnlyHint: false, destructiveHint: true, openWorldHint: false }],
  [["network"], { readOnlyHint: false, destructiveHint: false, openWorldHint: true }],
])("R3, Y3: MCP's tools, with hints from the effects %j", (effects, annotations) => {
  expect(renderTools("mcp", [tool("git.status", effects)])).toEqual([
    {
      name: "git_status",
      title: "Git status",
      description: "Does git.status.",
      inputSchema,
      outputSchema: expect.objectContaining({ type: "object", oneOf: expect.any(Array) }),
      annotations,
    },
  ])
})

it("R3: every format renders every tool once, under a name that providers take", () => {
  for (const format of toolFormats) {
    expect(renderTools(format, tools)).toHaveLength(2)
    expect(renderTools(format, [])).toEqual([])
  }
  for (const { name } of tools) expect(apiNameOf(name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
})
