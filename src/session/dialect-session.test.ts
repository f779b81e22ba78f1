import { expect, it } from "vitest"
import { z } from "zod"
import { openBridge, scriptedServer, temporaryHome } from "../../test/support/mcp/bridge-fixture.ts"
import { defineTool, type Tool } from "../contract/index.ts"
import { builtInDialect, type DialectTable, dialectNames } from "../dialects/index.ts"
import { catalogue } from "../tools/index.ts"
import { openToolkeep } from "./open-toolkeep.ts"

const greet = named("team.greet")
function named(name: string): Tool {
  return defineTool({
    name,
    description: "Greets.",
    input: z.object({ who: z.string() }),
    run: ({ who }) => ({ kind: "greeting", text: `hello ${who}` }),
  })
}

async function open(dialect: string | DialectTable, tools: readonly Tool[] = [greet]) {
  const home = await temporaryHome()
  return openToolkeep({ host: "memory", home, dialect, tools })
}
const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name)

it.each(dialectNames)(
  "F7, R3, X1: the program's own tools and later ones stand beside those of %s",
  async (dialect) => {
    await using keep = await open(dialect)
    const session = keep.session()
    const vocabulary = names(session.tools())
    expect(vocabulary).toContain("team.greet")
    session.addTools([named("mcp:crm:find")])
    expect(names(session.tools())).toEqual([...vocabulary, "mcp:crm:find"])
    expect(await session.start("team.greet", { who: "Ada" }).envelope).toEqual({
      ok: true,
      tool: "team.greet",
      result: { kind: "greeting", text: "hello Ada" },
    })
    expect(await session.start("mcp_crm_find", { who: "Ada" }).envelope).toMatchObject({
      ok: true,
      tool: "mcp:crm:find",
    })
    // The program's own calls keep the canonical words, and so do its types.
    expect(await session.call("file.write", { path: "a.txt", content: "a" })).toMatchObject({
      ok: true,
      tool: "file.write",
    })
  },
)

it.each(dialectNames)("O12: with many tools beside it, %s has tools.search", async (dialect) => {
  await using keep = await open(dialect)
  const session = keep.session()
  const before = names(session.tools())
  session.addTools(Array.from({ length: 60 }, (_, index) => named(`mcp:crm:find_${index}`)))
  expect(names(session.tools()).toSorted()).toEqual([...before, "tools.search"].toSorted())
  const found = await session.start("tools.search", { query: "find_7", limit: 1 }).envelope
  expect(found).toMatchObject({ ok: true, result: { tools: [{ name: "mcp_crm_find_7" }] } })
  expect(names(session.tools())).toContain("mcp:crm:find_7")
})

it.each([
  ["flue", "read"],
  ["osaurus", "file_read"],
  ["osaurus", "share.artifact"],
  ["cloudflare", "write.file"],
  ["openrath", "run.shell_command"],
  ["flynn", "shell_exec"],
])("F7: %s refuses a tool of one's own that is called like one of it", async (dialect, name) => {
  await using keep = await open(dialect, [named(name)])
  expect(() => keep.session()).toThrow(/the dialect \w+ has a tool .* choose another name/)
  await using free = await open(dialect, [])
  expect(() => free.session().addTools([named(name)])).toThrow(/choose another name/)
})

it("a dialect that does not exist is refused by name", async () => {
  await expect(open("cloudflair")).rejects.toThrow(
    'There is no dialect "cloudflair"; did you mean "cloudflare"?',
  )
})

it("listeners hear calls in the canonical words, also one that the dialect refuses", async () => {
  await using keep = await open("cloudflare")
  const session = keep.session()
  const heard: string[] = []
  session.listen((event) => "tool" in event && heard.push(`${event.kind} ${event.tool}`))
  await session.start("shell", { command: "true" }).envelope
  const refused = await session.start("shell", { cmd: "true" }).envelope
  expect(refused).toMatchObject({ ok: false, tool: "shell", field: "command" })
  expect(heard).toEqual([
    ...["call-requested", "call-checked", "call-judged", "call-started", "call-ended"].map(
      (kind) => `${kind} shell.exec`,
    ),
    "call-requested shell.exec",
    "call-ended shell.exec",
  ])
})

it("O31: in the form of cloudflare a pipe that was read no further is no error", async () => {
  await using keep = await open("cloudflare")
  const session = keep.session()
  const ended = async (command: string) =>
    session.render(await session.start("shell", { command }).envelope)
  expect(await ended("exit 141")).not.toHaveProperty("isError")
  expect(await ended("exit 142")).toHaveProperty("isError", true)
})

it("F1: limits are shown in the dialect's own unit", async () => {
  await using keep = await open("flue")
  const bash = keep
    .session()
    .tools()
    .find(({ name }) => name === "bash")
  const [canonical] = catalogue().filter(({ name }) => name === "shell.exec")
  const most = Number(canonical?.inputSchema.properties?.timeout_ms?.maximum) / 1_000
  expect(bash?.inputSchema.properties?.timeout).toMatchObject({ minimum: 0.001, maximum: most })
})

const canonicalNames = names(catalogue())

/** Dotted names of tools in a text that this vocabulary does not have. */
function foreignNames(table: DialectTable, text: string): readonly string[] {
  return canonicalNames.filter(
    (name) => new RegExp(`\\b${name.replace(".", "\\.")}\\b`).test(text) && !(name in table.tools),
  )
}

it.each(dialectNames)("%s names no canonical tool that it does not have", async (name) => {
  const table = await builtInDialect(name)
  if (!table) throw new Error("there is no such dialect")
  await using keep = await open(name)
  const session = keep.session()
  const texts = session.tools().map((tool) => JSON.stringify([tool.description, tool.inputSchema]))
  for (const call of hopelessCalls) {
    for (const tool of names(session.tools())) {
      texts.push(JSON.stringify(await session.start(tool, call).envelope))
    }
  }
  for (const tool of canonicalNames) {
    if (tool in table.tools) continue
    const { message } = (await session.start(tool, {}).envelope) as { message: string }
    texts.push(message.replace(JSON.stringify(tool), ""))
  }
  expect(texts.flatMap((text) => foreignNames(table, text))).toEqual([])
})

const everything = {
  ...{ path: "nowhere.txt", pattern: "(", command: "true", content: "x", pid: 99, port: 9 },
  ...{ sandbox: "default", action: "kill", query: "x", url: "x", namespace: "x", data: "x" },
}
const hopelessCalls: readonly unknown[] = [
  ...[{}, "{", { path: "nowhere.txt" }, { path: "" }, everything],
  ...[
    { action: "poll", pid: 99 },
    { action: "wait", pid: 99 },
    { action: "kill", pid: 99 },
  ],
  ...[{ pid: 99 }, { command: "sleep 5", background: true, timeout: 1 }, { sandbox: "x", port: 1 }],
  ...[
    { path: "a", oldText: "b", newText: "c" },
    { path: "a", search: "b", replace: "c" },
  ],
]

it("failures speak of the dialect's tools and arguments", async () => {
  await using keep = await open("osaurus")
  const session = keep.session()
  expect(await session.start("share_artifact", { path: "nowhere.pdf" }).envelope).toMatchObject({
    message: expect.stringContaining("Find it with sandbox_search_files, then share that path."),
  })
})

it("O23: in osaurus an optional text that is empty means none", async () => {
  await using keep = await open("osaurus")
  const session = keep.session()
  await session.call("file.write", { path: "a.txt", content: "a" })
  const input = { path: "a.txt", content: "", filename: "" }
  expect(await session.start("share_artifact", input).envelope).toMatchObject({ ok: true })
})

it("Y15, X1: a bridged server's tools stand beside a dialect, but for a name that it has", async () => {
  const mcpServers = { one: scriptedServer(), two: scriptedServer() }
  const info = { tool: "system.info", description: "Says what this sandbox is." }
  const dialect: DialectTable = {
    ...{ dialect: "house", about: "", answer: "envelope" },
    tools: { mcp_two_echo: info },
  }
  const { session, bridge } = await openBridge({ mcpServers }, { dialect })
  await session.prepare()
  expect(names(session.tools())).toEqual(["mcp_two_echo", "mcp:one:echo"])
  expect(await session.start("mcp:one:echo", { text: "a" }).envelope).toMatchObject({ ok: true })
  expect(bridge.list()[1]?.tools[0]?.state).toEqual({
    kind: "left out",
    why: expect.stringContaining('the dialect house has a tool "mcp_two_echo"'),
  })
})
