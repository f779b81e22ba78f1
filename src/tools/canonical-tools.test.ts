import { describe, expect, it } from "vitest"
import type { Capabilities, JsonSchema } from "../contract/index.ts"
import { catalogue } from "./catalogue.ts"

const everything: Capabilities = {
  host: "example",
  isolation: "namespaces",
  liveOutput: true,
  argumentLists: true,
  fileModes: true,
  networks: ["full"],
  background: false,
  ports: false,
  languages: {},
  sleep: false,
  snapshots: false,
  durable: true,
  ripgrep: "rg",
  limits: { memoryBytes: null, diskBytes: null, processes: null, processors: null },
}
const nothing: Capabilities = {
  ...everything,
  liveOutput: false,
  argumentLists: false,
  fileModes: false,
  ripgrep: null,
}

const toolsFor = (can: Capabilities) => catalogue({ can })

function propertiesOf(can: Capabilities): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    toolsFor(can).map((tool) => [tool.name, Object.keys(tool.inputSchema.properties ?? {})]),
  )
}

describe("the canonical tools", () => {
  it("F1, Y14: come in a stable order, with every property that a host can honour", () => {
    expect(propertiesOf(everything)).toEqual({
      "file.read": ["path", "encoding", "start_line", "line_count", "offset", "limit", "sandbox"],
      "file.write": ["path", "content", "append", "mode", "sandbox"],
      "file.edit": ["path", "edits", "sandbox"],
      "file.list": ["path", "recursive", "limit", "sandbox"],
      "file.glob": ["pattern", "path", "include_hidden", "include_ignored", "limit", "sandbox"],
      "file.grep": [
        "pattern",
        "fixed",
        "path",
        "glob",
        "case_sensitive",
        "context_lines",
        "include_hidden",
        "include_ignored",
        "limit",
        "sandbox",
      ],
      "shell.exec": ["command", "cwd", "env", "stdin", "timeout_ms", "idle_timeout_ms", "sandbox"],
      "browser.navigate": ["url", "wait_until", "timeout_ms"],
      "browser.snapshot": ["selector"],
      "browser.click": ["ref", "button", "double"],
      "browser.type": ["ref", "text", "submit", "slowly"],
      "browser.select": ["ref", "values"],
      "browser.scroll": ["ref", "direction", "amount"],
      "browser.wait": ["text", "text_gone", "url", "ms"],
      "browser.screenshot": ["ref", "full_page", "format"],
      "browser.evaluate": ["expression", "ref", "timeout_ms"],
      "browser.tabs": ["action", "index", "url"],
      "browser.close": [],
      "web.fetch": ["url", "method", "headers", "body", "timeout_ms", "max_bytes", "format"],
      "web.search": ["query", "limit"],
      "media.send": ["path", "data", "mime_type", "filename", "sandbox"],
      "image.analyze": ["path", "data", "mime_type", "prompt", "sandbox"],
      "audio.transcribe": ["path", "data", "mime_type", "language", "sandbox"],
      "artifact.share": ["path", "content", "filename", "mime_type", "description", "sandbox"],
      "chart.render": [
        "type",
        "rows",
        "path",
        "x",
        "y",
        "color",
        "title",
        "x_title",
        "y_title",
        "stacked",
        "width",
        "height",
        "format",
        "filename",
        "sandbox",
      ],
      "system.info": [],
    })
    expect(toolsFor(everything).map((tool) => tool.name)).toEqual([
      "file.read",
      "file.write",
      "file.edit",
      "file.list",
      "file.glob",
      "file.grep",
      "shell.exec",
      "browser.navigate",
      "browser.snapshot",
      "browser.click",
      "browser.type",
      "browser.select",
      "browser.scroll",
      "browser.wait",
      "browser.screenshot",
      "browser.evaluate",
      "browser.tabs",
      "browser.close",
      "web.fetch",
      "web.search",
      "media.send",
      "image.analyze",
      "audio.transcribe",
      "artifact.share",
      "chart.render",
      "system.info",
    ])
  })

  it("F1: leave out what the host can't honour", () => {
    const { "file.glob": _glob, "file.grep": _grep, ...kept } = propertiesOf(everything)
    expect(propertiesOf(nothing)).toEqual({
      ...kept,
      "file.write": ["path", "content", "append", "sandbox"],
      "shell.exec": ["command", "cwd", "env", "stdin", "timeout_ms", "sandbox"],
    })
  })

  it("Y7: say their groups and effects, and which path they use how", () => {
    expect(
      toolsFor(everything).map(({ name, groups, effects, paths }) => [
        name,
        groups.join(),
        effects.join(),
        paths({ path: "a", edits: [], content: "" } as never),
      ]),
    ).toEqual([
      ["file.read", "fs", "read", [{ path: "a", mode: "read" }]],
      ["file.write", "fs", "write", [{ path: "a", mode: "write" }]],
      ["file.edit", "fs", "read,write", [{ path: "a", mode: "write" }]],
      ["file.list", "fs", "read", [{ path: "a", mode: "read" }]],
      ["file.glob", "fs", "read", []],
      ["file.grep", "fs", "read", []],
      ["shell.exec", "runtime", "execute", []],
      ["browser.navigate", "web", "network", []],
      ["browser.snapshot", "web", "read", []],
      ["browser.click", "web", "network", []],
      ["browser.type", "web", "network", []],
      ["browser.select", "web", "network", []],
      ["browser.scroll", "web", "network", []],
      ["browser.wait", "web", "read", []],
      ["browser.screenshot", "web", "read", []],
      ["browser.evaluate", "web", "execute,network", []],
      ["browser.tabs", "web", "network", []],
      ["browser.close", "web", "write", []],
      ["web.fetch", "web", "network", []],
      ["web.search", "web", "network", []],
      ["media.send", "media", "read,write", [{ path: "a", mode: "read" }]],
      ["image.analyze", "media", "read", [{ path: "a", mode: "read" }]],
      ["audio.transcribe", "media", "read", [{ path: "a", mode: "read" }]],
      ["artifact.share", "media", "read,write", [{ path: "a", mode: "read" }]],
      ["chart.render", "media", "read,write", [{ path: "a", mode: "read" }]],
      ["system.info", "", "read", []],
    ])
  })
})

describe.each(toolsFor(everything))("the schema of $name", (tool) => {
  const nodes = [...schemasIn(tool.inputSchema, tool.name)]

  it("O15: every object in it is closed", () => {
    const open = nodes.filter(
      ({ schema }) => schema.type === "object" && schema.additionalProperties !== false,
    )
    expect(open.map(({ where }) => where)).toEqual([])
  })

  it("O21: each argument is described, numbers have limits, names are snake_case", () => {
    const properties = nodes.filter(({ isProperty }) => isProperty)
    const undescribed = properties.filter(({ schema }) => !schema.description)
    const unbounded = properties.filter(
      ({ schema }) => schema.type === "integer" && typeof schema.minimum !== "number",
    )
    const misnamed = properties.filter(({ where }) => !/\.[a-z]+(_[a-z]+)*$/.test(where))
    expect([...undescribed, ...unbounded, ...misnamed].map(({ where }) => where)).toEqual([])
  })

  it("O21: its description holds an example that the schema accepts", () => {
    const example = /Example: (\{.*\})\.$/.exec(tool.description)?.[1] ?? "none"
    expect(tool.check(JSON.parse(example))).toMatchObject({ ok: true, notes: [] })
    expect(tool.description.length).toBeLessThan(600)
  })
})

interface Node {
  readonly schema: JsonSchema
  readonly where: string
  readonly isProperty: boolean
}

function* schemasIn(schema: JsonSchema, where: string, isProperty = false): Generator<Node> {
  yield { schema, where, isProperty }
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    yield* schemasIn(part, `${where}.${name}`, true)
  }
  const { items } = schema
  if (items && typeof items === "object" && !Array.isArray(items)) {
    yield* schemasIn(items as JsonSchema, `${where}[]`)
  }
}
