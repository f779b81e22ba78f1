import { describe, expect, expectTypeOf, it } from "vitest"
import { DefinitionError, defineTool, type Tool } from "../index.ts"

const inputSchema = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
} as const

const definition = {
  name: "git.status",
  description: "Says what changed.",
  input: inputSchema,
  run() {},
}

/** As if written without types, the way a JavaScript author meets it. */
function define(fields: Record<string, unknown>): Tool {
  return defineTool({ ...definition, ...fields } as never)
}

describe("a definition", () => {
  it("Y1, Y3: becomes a tool with name, description, input schema and run, and says nothing else by default", () => {
    const run = () => "clean"
    const tool = defineTool({ ...definition, run })
    expect(tool).toEqual({
      name: "git.status",
      title: "Git status",
      description: "Says what changed.",
      inputSchema,
      check: expect.any(Function),
      groups: [],
      effects: [],
      timeoutMs: 120_000,
      outputSchema: null,
      pathArguments: [],
      paths: expect.any(Function),
      sandbox: expect.any(Function),
      unavailableReason: expect.any(Function),
      standard: null,
      run,
      show: null,
    })
    expect(tool.paths({ path: "a" } as never)).toEqual([])
    expect(tool.sandbox({ path: "a" } as never)).toBeUndefined()
    expect(tool.unavailableReason()).toBeNull()
  })

  it("Y1: keeps what it says about title, groups, effects, timeout and paths", () => {
    const paths = () => [{ path: "a", mode: "write" }] as const
    const fields = {
      title: "Status",
      groups: ["git"],
      effects: ["read", "network"],
      timeoutMs: null,
      paths,
    } as const
    const { title, groups, effects, timeoutMs, paths: kept } = define(fields)
    expect({ title, groups, effects, timeoutMs, paths: kept }).toEqual(fields)
  })

  it("F1.enforced, Y3.checked, Y3.sent: what the model sees is what was checked: the author can change neither afterwards", () => {
    const properties: Record<string, object> = { path: { type: "string" } }
    const groups = ["git"]
    const schema = { type: "object", properties, additionalProperties: false } as const
    const tool = define({ input: schema, groups })
    properties.force = { type: "boolean" }
    groups.push("admin")
    expect(tool.inputSchema).toEqual({
      type: "object",
      properties: { path: { type: "string" } },
      additionalProperties: false,
    })
    expect(tool.groups).toEqual(["git"])
    expect(tool.check({ force: true }).ok).toBe(false)
    expect(() => Object.assign(tool, { name: "other" })).toThrow(TypeError)
    expect(() => Object.assign(tool.inputSchema.properties ?? {}, { force: {} })).toThrow(TypeError)
    expect(() => (tool.groups as string[]).push("admin")).toThrow(TypeError)
  })

  it.each<[string, Record<string, unknown>, string]>([
    [
      "an unknown field that is close to a known one",
      { inputs: {} },
      'Tool "git.status": a definition has no field "inputs"; did you mean "input"?',
    ],
    [
      "an unknown field that is close to none",
      { colour: true },
      'Tool "git.status": a definition has no field "colour".',
    ],
    [
      "a name with a space",
      { name: "git status" },
      'Tool "git status": the name must be words joined by "." or ":", such as "git.status".',
    ],
    [
      "a name that ends in a dot",
      { name: "git." },
      'Tool "git.": the name must be words joined by "." or ":", such as "git.status".',
    ],
    [
      "a name with a line end",
      { name: "git\n" },
      'Tool "git\\n": the name must be words joined by "." or ":", such as "git.status".',
    ],
    [
      "no name",
      { name: undefined },
      'The tool: the name must be words joined by "." or ":", such as "git.status".',
    ],
    [
      "a name that no provider takes",
      { name: "a".repeat(65) },
      `Tool "${"a".repeat(65)}": the name is longer than 64 characters.`,
    ],
    [
      "a blank description",
      { description: " \n" },
      'Tool "git.status": the description is missing; a model chooses tools by it.',
    ],
    ["a title that is no text", { title: 5 }, 'Tool "git.status": `title` must be text.'],
    ["no run", { run: undefined }, 'Tool "git.status": `run` must be a function.'],
    [
      "paths that are data",
      { paths: ["a"] },
      'Tool "git.status": `paths` must be a function from the input to the paths that a call uses.',
    ],
    [
      "groups that are one text",
      { groups: "git" },
      'Tool "git.status": `groups` must be a list of names.',
    ],
    [
      "an effect that does not exist",
      { effects: ["read", "delete"] },
      'Tool "git.status": `effects` must be a list out of read, write, execute, network.',
    ],
    [
      "a timeout of 0",
      { timeoutMs: 0 },
      'Tool "git.status": `timeoutMs` must be a number above 0, or null for a tool that ends its own work.',
    ],
    [
      "a timeout that is no number",
      { timeoutMs: Number.NaN },
      'Tool "git.status": `timeoutMs` must be a number above 0, or null for a tool that ends its own work.',
    ],
    [
      "no input schema",
      { input: undefined },
      'Tool "git.status": `input` must be a JSON Schema or a Standard Schema.',
    ],
    [
      "an input schema that is a list",
      { input: [] },
      'Tool "git.status": `input` must be a JSON Schema or a Standard Schema.',
    ],
  ])("F1: is refused for %s", (_, fields, message) => {
    expect(() => define(fields)).toThrow(new DefinitionError(message))
  })
})

describe("the type of the input", () => {
  it("Y3: comes from a JSON Schema literal: optional, default, enum, array, union, map and nested", () => {
    defineTool({
      name: "demo.types",
      description: "Has many types.",
      input: {
        type: "object",
        properties: {
          path: { type: "string" },
          limit: { type: "integer", default: 10 },
          mode: { enum: ["read", "write"] },
          tags: { type: "array", items: { type: "string" } },
          size: { anyOf: [{ type: "number" }, { type: "null" }] },
          either: { type: ["string", "boolean"] },
          env: { type: "object", additionalProperties: { type: "string" } },
          range: {
            type: "object",
            properties: { from: { type: "integer" }, to: { type: "integer" } },
            required: ["from"],
            additionalProperties: false,
          },
        },
        required: ["path", "mode"],
        additionalProperties: false,
      },
      paths(input) {
        expectTypeOf(input.path).toEqualTypeOf<string>()
        return []
      },
      run(input) {
        expectTypeOf(input).toEqualTypeOf<{
          readonly path: string
          readonly limit: number
          readonly mode: "read" | "write"
          readonly tags?: readonly string[]
          readonly size?: number | null
          readonly either?: string | boolean
          readonly env?: Readonly<Record<string, string>>
          readonly range?: { readonly from: number; readonly to?: number }
        }>()
      },
    })
  })
})

describe("the three ways to make tools", () => {
  const look = (tool: Tool) => ({ name: tool.name, result: tool.run({} as never, {} as never) })
  const noInput = { type: "object", properties: {}, additionalProperties: false } as const

  it("Y4.static: one tool, defined where it stands", () => {
    const clock = defineTool({
      name: "time.zone",
      description: "Names the time zone.",
      input: noInput,
      run: () => "UTC",
    })
    expect(look(clock)).toEqual({ name: "time.zone", result: "UTC" })
  })

  it("Y4.factory: a factory that takes what one tool needs", () => {
    const greeter = (greeting: string) =>
      defineTool({
        name: "demo.greet",
        description: "Greets.",
        input: noInput,
        run: () => greeting,
      })
    expect([greeter("Hello"), greeter("Ahoy")].map(look)).toEqual([
      { name: "demo.greet", result: "Hello" },
      { name: "demo.greet", result: "Ahoy" },
    ])
  })

  it("Y4.family: a family around one shared part, apart from another such family", () => {
    const counterTools = () => {
      let count = 0
      const tool = (name: string, run: () => number) =>
        defineTool({ name, description: "Counts.", input: noInput, run })
      return [
        tool("counter.up", () => {
          count += 1
          return count
        }),
        tool("counter.read", () => count),
      ]
    }
    const one = counterTools()
    const other = counterTools()
    expect([...one, ...one, ...other.slice(1)].map(look)).toEqual([
      { name: "counter.up", result: 1 },
      { name: "counter.read", result: 1 },
      { name: "counter.up", result: 2 },
      { name: "counter.read", result: 2 },
      { name: "counter.read", result: 0 },
    ])
  })
})
