import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { defineTool } from "../../contract/index.ts"
import { openToolkeep } from "../open-toolkeep.ts"

async function open() {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-bound-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const own = defineTool({
    name: "git.status",
    description: "Says who called it.",
    effects: ["read"],
    input: { type: "object", properties: {}, additionalProperties: false },
    async run(_input, { session }) {
      const entries = await session.entries()
      return { session: session.name, kinds: entries.map(({ kind }) => kind) }
    },
  })
  const toolkeep = await openToolkeep({ host: "memory", home, record: true, tools: [own] })
  onTestFinished(() => toolkeep.close())
  return toolkeep.session("demo")
}

it("C16.tools, C16.bound: a sandbox is five tools that work in it and can name no other", async () => {
  const session = await open()
  const builder = session.sandbox("builder")
  const tools = await builder.tools()
  const names = tools.map(({ name }) => name)
  expect(["shell", "read_file", "write_file", "glob", "browse"]).toEqual(
    expect.arrayContaining(names),
  )
  expect(names).toEqual(expect.arrayContaining(["shell", "read_file", "write_file", "glob"]))
  for (const { inputSchema } of tools) expect(inputSchema.properties).not.toHaveProperty("sandbox")
  expect(await builder.call("write_file", { path: "a.txt", content: "one" })).toMatchObject({
    ok: true,
    result: { ok: true, size: 3 },
  })
  expect(await builder.call("shell", { command: "cat a.txt" })).toMatchObject({
    result: { stdout: "one", exit_code: 0 },
  })
  expect(await session.sandbox("other").call("shell", { command: "cat a.txt" })).toMatchObject({
    result: { exit_code: 1 },
  })
  expect(await builder.call("shell", { command: "true", sandbox: "other" })).toMatchObject({
    ok: false,
    kind: "invalid_args",
  })
  expect(await builder.call("git.status", {})).toMatchObject({ ok: false, kind: "tool_not_found" })
  expect(
    session.sandboxes
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["builder", "other"])
})

it("C16.model: a model's call takes them, in each provider's form", async () => {
  const session = await open()
  const view = session.sandbox("builder")
  const anthropic = await view.tools({ for: "anthropic" })
  expect(anthropic.map(({ name }) => name)).toContain("shell")
  const answer = await view.answer({
    for: "anthropic",
    call: { id: "toolu_1", name: "shell", input: { command: "echo hi" } },
  })
  expect(answer).toMatchObject({ type: "tool_result", tool_use_id: "toolu_1" })
  expect(JSON.stringify(answer)).toContain("hi")
  const aiSdk = await view.tools({ for: "ai-sdk" })
  const output = await aiSdk.shell?.execute({ command: "echo hi" }, { toolCallId: "call_1" })
  expect(output).toMatchObject({ ok: true, result: { stdout: "hi\n" } })
})

it("R1.tool, R1.call: a tool is a name, a description and parameters, and its call gets the session and the arguments", async () => {
  const session = await open()
  await session.call("system.info")
  expect(await session.start("git.status", {}).envelope).toMatchObject({
    result: { session: "demo", kinds: ["call", "envelope"] },
  })
})
