import { Ajv2020 } from "ajv/dist/2020.js"
import { expect, it } from "vitest"
import { failure, success } from "../index.ts"
import { envelopeSchema } from "./render-tools.ts"

const counted = {
  type: "object",
  properties: { count: { $ref: "#/$defs/count" } },
  required: ["count"],
  additionalProperties: false,
  $defs: { count: { type: "integer" } },
} as const

it("O1: the schema of an envelope takes successes with the tool's result, and failures", () => {
  const takes = new Ajv2020().compile(envelopeSchema(counted))
  expect(takes(success("demo.count", { count: 3 }))).toBe(true)
  expect(takes(success("demo.count", { count: 3 }, ["slow disk"]))).toBe(true)
  expect(takes(failure("demo.count", { kind: "timeout", message: "Late." }))).toBe(true)
  expect(takes(success("demo.count", { count: "3" }))).toBe(false)
  expect(takes({ ok: true, tool: "demo.count" })).toBe(false)
  expect(
    takes({ ...failure("demo.count", { kind: "timeout", message: "Late." }), kind: "x" }),
  ).toBe(false)
})

it("O1: a tool that does not say what it answers with may answer with anything", () => {
  const takes = new Ajv2020().compile(envelopeSchema(null))
  for (const result of [null, 3, "text", { any: ["thing"] }]) {
    expect(takes(success("demo.any", result))).toBe(true)
  }
})
