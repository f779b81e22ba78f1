import { expect, it } from "vitest"
import { type CallContext, defineTool, type Tool } from "../../contract/index.ts"
import { toolSearchLimits } from "../limits.ts"
import { searchTool } from "./search-tool.ts"

const empty = { type: "object", properties: {}, additionalProperties: false } as const
const tool = (name: string, description: string): Tool =>
  defineTool({ name, description, input: empty, run() {} })

const { signal } = new AbortController()

function searching(tools: () => readonly Tool[]) {
  const loaded: string[] = []
  const warnings: string[] = []
  const search = searchTool({
    all: async () => tools(),
    shows: ({ name }, { agent }) => agent === "admin" || !name.startsWith("secret."),
    load: (found) => loaded.push(...found.map(({ name }) => name)),
  })
  const context: CallContext = {
    callId: "call_test",
    tool: search.name,
    signal,
    terminated: signal,
    session: { name: "test", entries: async () => [] },
    workspace: () => expect.fail(),
    dispatch: () => expect.fail(),
    output: () => {},
    warn: (message) => warnings.push(message),
  }
  const run = (query: string, agent?: string) =>
    search.run({ query } as never, { ...context, agent })
  return { run, loaded, warnings }
}

it("O1: answers with the name to call, the schema and the number, and loads what it answers with", async () => {
  const { run, loaded } = searching(() => [
    tool("mcp:bank:pay", "Sends money."),
    tool("a.b", "No."),
  ])
  expect(await run("send money")).toEqual({
    kind: "tools",
    query: "send money",
    tools: [
      {
        name: "mcp_bank_pay",
        title: "Mcp bank pay",
        description: "Sends money.",
        input_schema: empty,
      },
    ],
    tool_count: 1,
  })
  expect(loaded).toEqual(["mcp:bank:pay"])
})

it("finds for each asker what that one may see", async () => {
  const { run, loaded } = searching(() => [tool("secret.key", "Opens the door.")])
  expect(await run("secret.key")).toMatchObject({ tools: [], tool_count: 0 })
  expect(loaded).toEqual([])
  expect(await run("secret.key", "admin")).toMatchObject({ tools: [{ name: "secret_key" }] })
})

it("finds a tool that came later, and no longer one that is gone", async () => {
  let tools = [tool("a.first", "Paints a wall.")]
  const { run, warnings } = searching(() => tools)
  expect(await run("paint")).toMatchObject({ tools: [{ name: "a_first" }] })
  tools = [tool("b.second", "Paints a fence.")]
  expect(await run("paint")).toMatchObject({ tools: [{ name: "b_second" }] })
  expect(warnings).toEqual([])
  expect(await run("wall")).toMatchObject({ tools: [] })
  expect(warnings).toEqual([expect.stringMatching(/^No tool matches\. /)])
})

it("schemas that are too large together are left out whole, and not cut", async () => {
  const wide = (name: string) =>
    defineTool({
      name,
      description: "Is wide.",
      input: { ...empty, description: "x".repeat(toolSearchLimits.foundBytes * 0.6) },
      run() {},
    })
  const { run, loaded, warnings } = searching(() => [wide("a.wide"), wide("b.wide")])
  expect(await run("wide")).toMatchObject({ tools: [{ name: "a_wide" }], tool_count: 1 })
  expect(loaded).toEqual(["a.wide", "b.wide"])
  expect(warnings).toEqual([expect.stringMatching(/^More were found/)])
})
