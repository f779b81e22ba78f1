import { describe, expect, it } from "vitest"
import { type Capabilities, defineTool, type JsonSchema, type Tool } from "../contract/index.ts"
import { catalogue } from "./catalogue.ts"

/** A host that can do as little as a host may. */
const nothing: Capabilities = {
  host: "example",
  isolation: "none",
  liveOutput: false,
  argumentLists: false,
  fileModes: false,
  networks: ["full"],
  background: false,
  ports: false,
  languages: {},
  sleep: false,
  snapshots: false,
  durable: true,
  ripgrep: null,
  limits: { memoryBytes: null, diskBytes: null, processes: null, processors: null },
}

/** Each tool's groups, effects and arguments. */
const outline = (tools: readonly Tool[]) =>
  Object.fromEntries(
    tools.map(({ name, groups, effects, inputSchema }) => [
      name,
      [groups.join(), effects.join(), Object.keys(inputSchema.properties ?? {}).join(" ")].join(
        " | ",
      ),
    ]),
  )

/** What a caller could change. */
const changeable = (value: unknown): unknown[] =>
  typeof value === "object" && value !== null
    ? [...(Object.isFrozen(value) ? [] : [value]), ...Object.values(value).flatMap(changeable)]
    : []

const pinned = {
  "file.read": "fs | read | path encoding start_line line_count offset limit sandbox",
  "file.write": "fs | write | path content append mode sandbox",
  "file.edit": "fs | read,write | path edits sandbox",
  "file.patch": "fs | read,write | patch sandbox",
  "file.list": "fs | read | path recursive limit sandbox",
  "file.glob": "fs | read | pattern path include_hidden include_ignored as_shell limit sandbox",
  "file.grep":
    "fs | read | pattern fixed path glob case_sensitive context_lines include_hidden include_ignored limit sandbox",
  "file.info": "fs | read | path sandbox",
  "file.move": "fs | write | from to overwrite sandbox",
  "file.remove": "fs | write | path recursive sandbox",
  "shell.exec":
    "runtime | execute | command cwd env stdin timeout_ms idle_timeout_ms background sandbox",
  "process.start": "runtime | execute | command args cwd env stdin open_stdin sandbox",
  "process.list": "runtime | read | sandbox",
  "process.status": "runtime | read | pid sandbox",
  "process.output": "runtime | read | pid offset limit sandbox",
  "process.wait": "runtime | read | pid timeout_ms sandbox",
  "process.kill": "runtime | execute | pid signal sandbox",
  "process.write": "runtime | execute | pid text end sandbox",
  "code.run": "runtime | execute | language code cwd env stdin timeout_ms sandbox",
  "sandbox.create": "runtime | execute,network | sandbox image sleep_after_ms network limits from",
  "sandbox.list": "runtime | read | ",
  "sandbox.transfer": "runtime | read,write | from_sandbox from_path to_sandbox to_path recursive",
  "sandbox.browse": "runtime | network | port path wait_ms sandbox",
  "sandbox.snapshot": "runtime | execute | sandbox",
  "sandbox.fork": "runtime | execute | sandbox to",
  "sandbox.destroy": "runtime | write,execute | sandbox",
  "web.fetch": "web | network | url method headers body timeout_ms max_bytes format",
  "web.search": "web | network | query limit",
  "browser.navigate": "web | network | url wait_until timeout_ms",
  "browser.snapshot": "web | read | selector",
  "browser.click": "web | network | ref button double",
  "browser.type": "web | network | ref text submit slowly",
  "browser.select": "web | network | ref values",
  "browser.scroll": "web | network | ref direction amount",
  "browser.wait": "web | read | text text_gone url ms",
  "browser.screenshot": "web | read | ref full_page format",
  "browser.evaluate": "web | execute,network | expression ref timeout_ms",
  "browser.tabs": "web | network | action index url",
  "browser.close": "web | write | ",
  "memory.read": "memory | read | namespace id offset limit",
  "memory.write": "memory | write | namespace content mode id",
  "memory.list": "memory | read | prefix",
  "memory.search": "memory | read | query namespace limit mode",
  "memory.delete": "memory | write | namespace id",
  "media.send": "media | read,write | path data mime_type filename sandbox",
  "image.analyze": "media | read | path data mime_type prompt sandbox",
  "audio.transcribe": "media | read | path data mime_type language sandbox",
  "artifact.share": "media | read,write | path content filename mime_type description sandbox",
  "chart.render":
    "media | read,write | type rows path x y color title x_title y_title stacked width height format filename sandbox",
  "system.info": " | read | ",
  "sessions.list": " | read | limit",
  "sessions.delete": " | write | session",
  "tools.search": " | read | query limit",
}

describe("the canonical tools", () => {
  it("F1, Y7, Y14: come in a stable order, with groups, effects and every argument that a host can honour", () => {
    expect(outline(catalogue())).toEqual(pinned)
    expect(catalogue().map(({ name }) => name)).toEqual(Object.keys(pinned))
  })

  it("F1: leave out what the host can't honour", () => {
    const lost = [
      "process.start",
      "process.list",
      "process.status",
      "process.output",
      "process.wait",
      "process.kill",
      "process.write",
      "code.run",
      "sandbox.browse",
      "sandbox.snapshot",
      "sandbox.fork",
    ]
    const kept = Object.entries(pinned).filter(([name]) => !lost.includes(name))
    expect(outline(catalogue({ can: nothing }))).toEqual({
      ...Object.fromEntries(kept),
      "file.write": "fs | write | path content append sandbox",
      "shell.exec": "runtime | execute | command cwd env stdin timeout_ms sandbox",
      "sandbox.create": "runtime | execute | sandbox image sleep_after_ms",
    })
  })

  it.each([
    ["on a host that can do everything", catalogue()],
    ["on a host that can do little", catalogue({ can: nothing })],
  ])(
    "F1, F2: keep the rules for everybody's tools, which nobody checks for them, %s",
    (_, tools) => {
      for (const tool of tools) {
        const { check: _check, standard: _standard, inputSchema, outputSchema, ...rest } = tool
        const show = tool.show ?? undefined
        const definition = { ...rest, input: inputSchema, output: outputSchema ?? {}, show }
        const copy = defineTool(definition as never)
        expect(copy.inputSchema).toEqual(tool.inputSchema)
        expect(copy.outputSchema).toEqual(tool.outputSchema)
        expect([tool.inputSchema, tool.outputSchema].flatMap(changeable)).toEqual([])
      }
    },
  )

  it("Y7: say which path they use how", () => {
    const input = { path: "a", from: "a", to: "b", edits: [], patch: "", content: "" }
    const uses = catalogue().flatMap(({ name, paths }) => {
      const used = paths(input as never).map(({ path, mode }) => `${mode} ${path}`)
      return used.length === 0 ? [] : [[name, used.join()]]
    })
    expect(Object.fromEntries(uses)).toEqual({
      "file.read": "read a",
      "file.write": "write a",
      "file.edit": "write a",
      "file.list": "read a",
      "file.info": "read a",
      "file.move": "write a,write b",
      "file.remove": "write a",
      "media.send": "read a",
      "image.analyze": "read a",
      "audio.transcribe": "read a",
      "artifact.share":
        "read a,read output/a,read outputs/a,read dist/a,read build/a,read out/a,read public/a,read artifacts/a",
      "chart.render": "read a",
    })
  })

  it("O21.enum: close every set of choices", () => {
    const nodes = catalogue().flatMap(({ inputSchema, name }) => [...schemasIn(inputSchema, name)])
    const closed = nodes.flatMap(({ schema, where }) =>
      schema.enum ? [`${where}: ${schema.enum.join(" ")}`] : [],
    )
    expect(closed).toEqual([
      "file.read.encoding: utf8 base64",
      "process.kill.signal: SIGTERM SIGKILL",
      "code.run.language: javascript typescript python bash",
      "sandbox.create.network.kind: none allow-list",
      "web.fetch.method: GET POST PUT PATCH DELETE HEAD",
      "web.fetch.format: markdown text html raw",
      "browser.navigate.wait_until: load domcontentloaded networkidle",
      "browser.click.button: left right middle",
      "browser.scroll.direction: down up right left",
      "browser.screenshot.format: png jpeg",
      "browser.tabs.action: list new select close",
      "memory.write.mode: append replace",
      "memory.search.mode: hybrid keyword vector",
      "chart.render.type: line bar area scatter pie histogram",
      "chart.render.format: svg png",
    ])
  })

  it("O1: say what they answer with, by a kind of its own", () => {
    const kinds = (schema: JsonSchema): unknown[] => {
      const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
      return branches.length > 0 ? branches.flatMap(kinds) : [schema.properties?.kind?.const]
    }
    const silent = catalogue().filter(
      ({ outputSchema }) => outputSchema === null || kinds(outputSchema).some((kind) => !kind),
    )
    expect(silent.map(({ name }) => name)).toEqual([])
  })
})

describe.each(catalogue())("the schema of $name", (tool) => {
  const nodes = [...schemasIn(tool.inputSchema, tool.name)]

  it("O15.nested: every object in it is closed", () => {
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

  it("O21.example: its description holds an example that the schema accepts", () => {
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
