import { assert, expect, it } from "vitest"
import { z } from "zod"
import { openBridge, scriptedServer, temporaryHome } from "../../test/support/mcp/bridge-fixture.ts"
import { createInputCheck, defineTool, type Tool } from "../contract/index.ts"
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
  "R3.table, X1.own: the program's own tools and later ones stand beside those of %s",
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

it.each(dialectNames)("X1.own: with many tools beside it, %s has tools.search", async (dialect) => {
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
])(
  "F7.builtin, R3.conflict: %s refuses a tool of one's own that is called like one of it",
  async (dialect, name) => {
    await using keep = await open(dialect, [named(name)])
    expect(() => keep.session()).toThrow(/the dialect \w+ has a tool .* choose another name/)
    await using free = await open(dialect, [])
    expect(() => free.session().addTools([named(name)])).toThrow(/choose another name/)
  },
)

it("F7.builtin: a tool of one's own that is called like a canonical one is refused", async () => {
  await using keep = await openToolkeep({ host: "memory", tools: [named("file.read")] })
  expect(() => keep.session()).toThrow('There is already a tool "file.read".')
  await using free = await openToolkeep({ host: "memory" })
  expect(() => free.session().addTools([named("file_read")])).toThrow(/rename one of them/)
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

const ofNumbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
const least = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]
const most = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]

it.each(dialectNames)(
  "F1.enforced: %s shows every limit that is enforced, in its own unit",
  async (name) => {
    const table = await builtInDialect(name)
    await using keep = await open(name, [])
    const missing: string[] = []
    for (const tool of keep.session().tools()) {
      const entry = table?.tools[tool.name]
      for (const [argument, said] of Object.entries(entry?.arguments ?? {})) {
        const shown = tool.inputSchema.properties?.[argument]
        const target = catalogue().find(({ name: one }) => one === entry?.tool)
        const canonical = target?.inputSchema.properties?.[said.as]
        if (!shown || !canonical || said.values) continue
        for (const [key, value] of Object.entries(canonical)) {
          const unit = ofNumbers.includes(key) ? (said.times ?? 1) : 1
          const own = Number(shown[key]) * unit
          const isKept = least.includes(key)
            ? own >= Number(value)
            : most.includes(key)
              ? own <= Number(value)
              : !["pattern", "items", "patternProperties"].includes(key) || key in shown
          if (!isKept) missing.push(`${tool.name} ${argument}: ${key} ${value}`)
        }
      }
    }
    expect(missing).toEqual([])
  },
)

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
    const envelope = await session.start(tool, {}).envelope
    assert(!envelope.ok)
    texts.push(envelope.message.replace(tool, ""))
  }
  expect(texts.flatMap((text) => foreignNames(table, text))).toEqual([])
})

it.each(dialectNames)(
  "F1, X12: %s speaks of no argument that its tool does not have",
  async (name) => {
    const table = await builtInDialect(name)
    await using keep = await open(name, [])
    const session = keep.session()
    for (const tool of session.tools()) {
      const described = Object.values(tool.inputSchema.properties ?? {})
      const texts = [tool, ...described].map(({ description = "" }) => description)
      for (const call of hopelessCalls) {
        const envelope = await session.start(tool.name, call).envelope
        const said = JSON.stringify(envelope.ok ? (envelope.warnings ?? "") : envelope)
        // An argument that the call itself had is named back to it.
        texts.push(Object.keys(Object(call)).reduce((text, key) => text.replaceAll(key, ""), said))
      }
      const behind = behindOf(table?.tools[tool.name]?.tool)
      const own = Object.keys(tool.inputSchema.properties ?? {})
      const foreign = behind
        .flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))
        .filter((argument) => !own.includes(argument) && !isEnglish.has(argument))
      const found = foreign.filter((argument) =>
        texts.some((text) => new RegExp(`\\b${argument}\\b`).test(text)),
      )
      expect([tool.name, found]).toEqual([tool.name, []])
    }
  },
)

function behindOf(said: DialectTable["tools"][string]["tool"] | undefined): readonly Tool[] {
  const wanted = typeof said === "string" ? [said] : Object.values(said?.of ?? {})
  return catalogue().filter(({ name }) => wanted.includes(name))
}

/** Names of canonical arguments that a text may use as plain words. */
const isEnglish = new Set([
  "path",
  "sandbox",
  "content",
  "command",
  "type",
  "format",
  "mode",
  "all",
])

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

it.each(dialectNames)(
  "Y15, X1.bridged: the tools of a bridged server stand beside those of %s",
  async (dialect) => {
    const { session } = await openBridge({ mcpServers: { one: scriptedServer() } }, { dialect })
    const before = names(session.tools())
    await session.prepare()
    expect(names(session.tools())).toEqual([...before, "mcp:one:echo"])
    for (const tool of ["mcp:one:echo", "mcp_one_echo"]) {
      expect(await session.start(tool, { text: "a" }).envelope).toMatchObject({
        ok: true,
        tool: "mcp:one:echo",
      })
    }
  },
)

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

/** The programs that this host's virtual bash lacks. */
const lacking = /\b(npm|npx|node|python3?|pip|git|cargo)\b/

it.each(["none", ...dialectNames])(
  "F1, O21.example: on a host without programs, what %s shows of a tool is an example that works there, and what commands reach",
  async (dialect) => {
    await using keep = await openToolkeep({
      host: "memory",
      home: await temporaryHome(),
      ...(dialect === "none" ? {} : { dialect }),
    })
    const session = keep.session()
    for (const tool of session.tools({ all: true })) {
      const [, said = "", json = "null"] = /^(.*)Example: (\{.*\})\.$/s.exec(tool.description) ?? []
      expect([tool.name, createInputCheck(tool.inputSchema)(JSON.parse(json))]).toMatchObject([
        tool.name,
        { ok: true, notes: [] },
      ])
      const { command } = tool.inputSchema.properties ?? {}
      if (!command) continue
      expect(said).toContain(
        "No network. None of your project's files. A virtual bash, which lacks ",
      )
      expect([json, command.description].join()).not.toMatch(lacking)
    }
  },
)
