import { expect, expectTypeOf, it } from "vitest"
import { z } from "zod"
import { DefinitionError, type DescribedSchema, defineTool, type Tool } from "../index.ts"

function define(inputSchema: DescribedSchema): Tool {
  return defineTool({
    name: "demo.zod",
    description: "A demonstration.",
    input: inputSchema,
    run() {},
  })
}

it("Y3, O15: a zod schema becomes a JSON Schema whose objects are closed at every depth", () => {
  const tool = define(
    z.object({
      path: z.string().min(1).describe('The file, such as "a.md".'),
      limit: z.int().min(1).max(10).default(5),
      edits: z.array(z.object({ search: z.string() })).optional(),
      target: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("file") }),
        z.object({ kind: z.literal("line"), line: z.int() }),
      ]),
    }),
  )
  const integer = { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }
  expect(tool.inputSchema).toEqual({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: 'The file, such as "a.md".' },
      limit: { type: "integer", minimum: 1, maximum: 10, default: 5 },
      edits: {
        type: "array",
        items: {
          type: "object",
          properties: { search: { type: "string" } },
          required: ["search"],
          additionalProperties: false,
        },
      },
      target: {
        oneOf: [
          {
            type: "object",
            properties: { kind: { type: "string", const: "file" } },
            required: ["kind"],
            additionalProperties: false,
          },
          {
            type: "object",
            properties: { kind: { type: "string", const: "line" }, line: integer },
            required: ["kind", "line"],
            additionalProperties: false,
          },
        ],
      },
    },
    required: ["path", "target"],
    additionalProperties: false,
  })
})

it("O15, O16, O19: input for a zod schema is repaired and checked like any other", () => {
  const tool = define(
    z.object({ mode: z.enum(["fast", "safe"]), limit: z.int().default(5), dry: z.boolean() }),
  )
  expect(tool.check({ mode: "Fast", dry: "yes" })).toEqual({
    ok: true,
    value: { mode: "fast", dry: true, limit: 5 },
    notes: ['mode: "Fast" read as "fast"', 'dry: text "yes" read as true'],
  })
  expect(tool.check({ mode: "fast", dry: true, force: true })).toEqual({
    ok: false,
    failure: {
      kind: "invalid_args",
      message: 'Unknown argument "force"; known here: mode, limit, dry.',
      field: "force",
      expected: "only mode, limit, dry",
    },
  })
})

it("Y3: the input of run is typed by the schema's output", () => {
  defineTool({
    name: "demo.typed",
    description: "A demonstration.",
    input: z.object({ day: z.string().transform((text) => new Date(text)), n: z.int() }),
    run(input) {
      expectTypeOf(input).toEqualTypeOf<{ day: Date; n: number }>()
    },
  })
})

it("O15: a zod object that takes any key is refused", () => {
  expect(() => define(z.looseObject({ a: z.string() }))).toThrow(
    new DefinitionError(
      'Tool "demo.zod": inputSchema is an object without "additionalProperties": false, so keys that nobody declared would be accepted in silence.',
    ),
  )
})

it("Y3: a default that looks like a schema stays as it is", () => {
  const filling = { type: "object", properties: {} }
  const tool = define(z.object({ a: z.any().default(filling) }))
  expect(tool.check({})).toEqual({ ok: true, value: { a: filling }, notes: [] })
})

it("Y3: a format that only zod knows does not stop the tool, and zod's pattern for it holds", () => {
  const tool = define(z.object({ data: z.base64() }))
  expect(tool.check({ data: "aGk=" })).toEqual({ ok: true, value: { data: "aGk=" }, notes: [] })
  expect(tool.check({ data: "?" }).ok).toBe(false)
})

it("Y3: a zod schema with an id of its own is taken from among its definitions", () => {
  const tool = define(z.object({ a: z.string() }).meta({ id: "demo-standard-schema-input" }))
  expect(tool.check({ a: "x" })).toEqual({ ok: true, value: { a: "x" }, notes: [] })
})

it("F1: a part that JSON Schema does not know is an error of the definition", () => {
  expect(() => define(z.object({ day: z.date() }))).toThrow(
    new DefinitionError(
      "The input schema of zod has a part that JSON Schema does not know: Date cannot be represented in JSON Schema.",
    ),
  )
})

it("F1: a Standard Schema that can't describe itself is refused with what to do", () => {
  const silent = {
    "~standard": { version: 1, vendor: "valibot", validate: (value: unknown) => ({ value }) },
  }
  expect(() => define(silent as never)).toThrow(
    new DefinitionError(
      "The input schema comes from valibot, which can't describe itself as JSON Schema here. " +
        "Use a version that implements Standard JSON Schema (zod 4.2 or later does), or write JSON Schema.",
    ),
  )
})

it("Y3: a schema that is a function, as arktype's are, works as well", () => {
  const jsonSchema = {
    type: "object",
    properties: { n: { type: "number" } },
    required: ["n"],
  }
  const type = Object.assign((value: unknown) => value, {
    "~standard": {
      version: 1,
      vendor: "arktype",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    },
  } as const)
  const tool = define(type as unknown as DescribedSchema)
  expect(tool.inputSchema).toEqual({ ...jsonSchema, additionalProperties: false })
  expect(tool.check({ n: "3.14" })).toEqual({
    ok: true,
    value: { n: 3.14 },
    notes: ['n: text "3.14" read as 3.14'],
  })
})
