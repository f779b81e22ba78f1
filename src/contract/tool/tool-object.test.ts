import { describe, expect, it } from "vitest"
import { DefinitionError, defineTool, type JsonSchema } from "../index.ts"

const done = async () => ({ success: true, output: "done" })

function define(inputSchema: unknown, more: object = {}) {
  const name = "demo.tool"
  return defineTool({ name, description: "Does it.", inputSchema, execute: done, ...more } as never)
}

describe("the input schema of a tool object", () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    [
      "has no keys but those it names, nested too",
      {
        type: "object",
        properties: {
          command: {
            type: "object",
            properties: {
              program: { type: "string" },
              args: { type: "array", items: { type: "string" } },
            },
            required: ["program"],
          },
          rows: { type: "array", items: { type: "object", properties: { n: { type: "number" } } } },
        },
        required: ["command"],
      },
      {
        type: "object",
        properties: {
          command: {
            type: "object",
            properties: {
              program: { type: "string" },
              args: { type: "array", items: { type: "string" } },
            },
            required: ["program"],
            additionalProperties: false,
          },
          rows: {
            type: "array",
            items: {
              type: "object",
              properties: { n: { type: "number" } },
              additionalProperties: false,
            },
          },
        },
        required: ["command"],
        additionalProperties: false,
      },
    ],
    [
      "has no arguments where it names none",
      { type: "object" },
      { type: "object", properties: {}, additionalProperties: false },
    ],
    [
      "takes any keys in an inner object that names none, and where it says so",
      {
        type: "object",
        properties: {
          headers: { type: "object", description: "HTTP headers" },
          more: {
            type: "object",
            properties: { a: { type: "string" } },
            additionalProperties: true,
          },
          none: { type: "object", additionalProperties: false },
        },
        required: [],
      },
      {
        type: "object",
        properties: {
          headers: {
            type: "object",
            description: "HTTP headers",
            additionalProperties: { description: "Any value." },
          },
          more: {
            type: "object",
            properties: { a: { type: "string" } },
            additionalProperties: { description: "Any value." },
          },
          none: { type: "object", additionalProperties: false },
        },
        required: [],
        additionalProperties: false,
      },
    ],
  ])("X3, F1: %s", (_, given, closed) => {
    const before = structuredClone(given)
    expect(define(given).inputSchema).toEqual(closed)
    expect(given).toEqual(before)
  })

  it("X3: every argument that it declares reaches execute, with the context beside it", async () => {
    const got: unknown[] = []
    const inputSchema = { type: "object", properties: { n: { type: "number" } } }
    const execute = async (...all: unknown[]) => {
      got.push(...all)
      return { success: true, output: "" }
    }
    const tool = define(inputSchema, { execute })
    const context = { callId: "1" }
    await tool.run({ n: 1 } as never, context as never)
    expect(got).toEqual([{ n: 1 }, context])
  })

  it.each<[string, object, string]>([
    [
      "a part of a union that is open",
      {
        type: "object",
        properties: { a: { anyOf: [{ type: "object", properties: { b: { type: "string" } } }] } },
      },
      'Tool "demo.tool": inputSchema.properties.a.anyOf.0 is an object without "additionalProperties": false, so keys that nobody declared would be accepted in silence.',
    ],
    [
      "a keyword that there is not",
      { type: "object", propertees: {} },
      'Tool "demo.tool": inputSchema.propertees is not a JSON Schema keyword.',
    ],
    ["a list", [], 'Tool "demo.tool": `input` must be a JSON Schema or a Standard Schema.'],
  ])("X3, F1: is refused for %s", (_, schema, message) => {
    expect(() => define(schema)).toThrow(new DefinitionError(message))
  })
})

describe("a tool object", () => {
  it("X3: may be an instance whose execute needs it, and may say more about itself", async () => {
    class Counter {
      readonly name = "demo.count"
      readonly description = "Counts."
      readonly inputSchema = { type: "object" }
      readonly timeoutMs = 5
      count = 0
      async execute() {
        this.count += 1
        return { success: true, output: String(this.count) }
      }
    }
    const tool = defineTool(new Counter())
    expect(tool.timeoutMs).toBe(5)
    expect(await tool.execute()).toEqual({ success: true, output: "1" })
    expect(await tool.run({} as never, {} as never)).toEqual({ success: true, output: "2" })
  })

  it.each<[string, object, string]>([
    [
      "an execute that is no function",
      { execute: "ls" },
      'Tool "demo.tool": `execute` must be a function.',
    ],
    [
      "a field that there is not",
      { colour: 1 },
      'Tool "demo.tool": a definition has no field "colour".',
    ],
    [
      "both run and execute",
      { run: done },
      'Tool "demo.tool": a definition has no field "inputSchema".',
    ],
  ])("X3, F1: is refused for %s", (_, more, message) => {
    expect(() => define({ type: "object" }, more)).toThrow(new DefinitionError(message))
  })
})
