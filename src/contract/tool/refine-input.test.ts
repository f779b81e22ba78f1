import { expect, it } from "vitest"
import { z } from "zod"
import { type DescribedSchema, defineTool, refineInput } from "../index.ts"

const tool = (inputSchema: DescribedSchema) =>
  defineTool({ name: "demo.refine", description: "A demonstration.", input: inputSchema, run() {} })

it("Y3: the author's own schema has the last word and may transform", async () => {
  const dated = tool(z.object({ day: z.string().transform((text) => new Date(text)) }))
  expect(await refineInput(dated, { day: "2026-01-02" })).toEqual({
    ok: true,
    value: { day: new Date("2026-01-02") },
  })
})

it("O8, Y3: what the author's schema refuses is invalid_args with the field", async () => {
  const even = z.int().refine((value) => value % 2 === 0, "must be even")
  const nested = tool(z.object({ rows: z.array(z.object({ n: even })) }))
  expect(await refineInput(nested, { rows: [{ n: 2 }, { n: 3 }] })).toEqual({
    ok: false,
    failure: {
      kind: "invalid_args",
      message: 'Argument "rows[1].n" is not accepted: must be even',
      field: "rows[1].n",
    },
  })
})

it("O8, Y3: what it refuses as a whole has no field", async () => {
  const same = z.object({ a: z.string(), b: z.string() })
  const pair = tool(same.refine(({ a, b }) => a === b, "a and b must be the same"))
  expect(await refineInput(pair, { a: "x", b: "y" })).toEqual({
    ok: false,
    failure: {
      kind: "invalid_args",
      message: "The arguments are not accepted: a and b must be the same",
    },
  })
})

it("Y3: a tool with a JSON Schema of its own needs no second look", async () => {
  const plain = defineTool({
    name: "demo.plain",
    description: "A demonstration.",
    input: { type: "object", properties: {}, additionalProperties: false },
    run() {},
  })
  const input = {}
  const refined = await refineInput(plain, input)
  expect(refined.ok && refined.value).toBe(input)
})
