import type { Anthropic } from "@anthropic-ai/sdk"
import type { FunctionCall, FunctionDeclaration, Part } from "@google/genai"
import type { CallToolResult, Tool as LegacyMcpTool } from "@modelcontextprotocol/sdk/types.js"
import type {
  Tool as McpTool,
  CallToolResult as ModernCallResult,
} from "@modelcontextprotocol/server"
import type { ModelMessage, ToolCallPart, ToolSet } from "ai"
import type { OpenAI } from "openai"
import { expect, it } from "vitest"
import { openToolkeep, type Session } from "../index.ts"

/** What a session gives stands where the SDKs take it, and the other way round; the compiler judges. */
const fitting = {
  anthropic: async (session: Session, block: Anthropic.ToolUseBlock) => {
    const tools: Anthropic.Tool[] = session.tools({ for: "anthropic" })
    const marked: Anthropic.ToolUnion[] = session.tools({ for: "anthropic", deferred: "marked" })
    const answer: Anthropic.ToolResultBlockParam = await session.answer({
      for: "anthropic",
      call: block,
    })
    const message: Anthropic.MessageParam = {
      role: "user",
      content: await session.answer({ for: "anthropic", calls: [block] }),
    }
    return [tools, marked, answer, message]
  },
  openai: async (session: Session, call: OpenAI.ChatCompletionMessageFunctionToolCall) => {
    const tools: OpenAI.ChatCompletionTool[] = session.tools({ for: "openai" })
    const answer: OpenAI.ChatCompletionToolMessageParam = await session.answer({
      for: "openai",
      call,
    })
    const messages: OpenAI.ChatCompletionMessageParam[] = await session.answer({
      for: "openai",
      calls: [call],
    })
    return [tools, answer, messages]
  },
  responses: async (session: Session, call: OpenAI.Responses.ResponseFunctionToolCall) => {
    const tools: OpenAI.Responses.Tool[] = session.tools({ for: "openai-responses" })
    const answer: OpenAI.Responses.ResponseInputItem.FunctionCallOutput = await session.answer({
      for: "openai-responses",
      call,
    })
    const input: OpenAI.Responses.ResponseInput = await session.answer({
      for: "openai-responses",
      calls: [call],
    })
    return [tools, answer, input]
  },
  gemini: async (session: Session, call: FunctionCall) => {
    const functionDeclarations: FunctionDeclaration[] = session.tools({ for: "gemini" })
    const part: Part = await session.answer({ for: "gemini", call })
    const parts: Part[] = await session.answer({ for: "gemini", calls: [call] })
    return [functionDeclarations, part, parts]
  },
  aiSdk: async (session: Session, call: ToolCallPart) => {
    const tools: ToolSet = session.tools({ for: "ai-sdk" })
    const message: ModelMessage = {
      role: "tool",
      content: await session.answer({ for: "ai-sdk", calls: [call] }),
    }
    return [tools, message]
  },
  mcp: async (session: Session, params: { name: string; arguments?: Record<string, unknown> }) => {
    const tools: McpTool[] = session.tools({ for: "mcp" })
    const legacy: LegacyMcpTool[] = session.tools({ for: "mcp" })
    const result: ModernCallResult = await session.answer({ for: "mcp", call: params })
    const legacyResult: CallToolResult = await session.answer({ for: "mcp", call: params })
    return [tools, legacy, result, legacyResult]
  },
}

/** As SDKs do: closes objects, adds marks and sorts what they were given. */
function changeEverything(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  let changed = 1
  for (const part of Object.values(value)) changed += changeEverything(part)
  if (Array.isArray(value)) value.reverse().push("more")
  else if (!("~standard" in value)) Object.assign(value, { additionalProperties: "changed" })
  return changed
}

it("Y3: an SDK may change all that it is given, and neither the tools nor the next listing notice", async () => {
  await using keep = await openToolkeep({ host: "memory" })
  const session = keep.session()
  const listings = {
    anthropic: () => session.tools({ for: "anthropic" }),
    openai: () => session.tools({ for: "openai" }),
    responses: () => session.tools({ for: "openai-responses" }),
    gemini: () => session.tools({ for: "gemini" }),
    mcp: () => session.tools({ for: "mcp" }),
    aiSdk: () =>
      Object.values(session.tools({ for: "ai-sdk" })).map((tool) =>
        tool.inputSchema["~standard"].jsonSchema.input({ target: "draft-07" }),
      ),
  }
  for (const [name, list] of Object.entries(listings)) {
    const before = JSON.stringify(list())
    expect(changeEverything(list()), name).toBeGreaterThan(100)
    expect(JSON.stringify(list()), name).toBe(before)
  }
})

it("Y3, R3: what a session gives and takes has the SDKs' own types", async () => {
  await using keep = await openToolkeep({ host: "memory" })
  const session = keep.session()
  const name = "system_info"
  const given: readonly (readonly unknown[])[] = [
    await fitting.anthropic(session, {
      type: "tool_use",
      id: "1",
      name,
      input: {},
      caller: { type: "direct" },
    }),
    await fitting.openai(session, {
      type: "function",
      id: "1",
      function: { name, arguments: "{}" },
    }),
    await fitting.responses(session, {
      type: "function_call",
      call_id: "1",
      name,
      arguments: "{}",
    }),
    await fitting.gemini(session, { id: "1", name, args: {} }),
    await fitting.aiSdk(session, { type: "tool-call", toolCallId: "1", toolName: name, input: {} }),
    await fitting.mcp(session, { name }),
  ]
  for (const [tools, ...answers] of given) {
    expect(Object.keys(tools as object).length).toBeGreaterThan(10)
    expect(JSON.stringify(answers)).toMatch(/\bok\W+true/)
  }
})
