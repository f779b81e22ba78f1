import { describe, expect, it } from "vitest"
import { fieldsOf, formField, withPart } from "./form-field.ts"

const kindOf = (schema: unknown) => formField("x", schema, false).kind

describe("a form from a tool's schema", () => {
  it("X7: has a field for texts, numbers, switches, choices, lists, objects and secrets", () => {
    expect(kindOf({ type: "string" })).toBe("text")
    expect(kindOf({ type: "string", format: "password" })).toBe("secret")
    expect(kindOf({ type: ["integer", "null"], minimum: 1 })).toBe("number")
    expect(kindOf({ type: "boolean" })).toBe("switch")
    expect(kindOf({ enum: ["a", 1] })).toBe("choice")
    expect(kindOf({ type: "array", items: { type: "string" } })).toBe("list")
    expect(kindOf({ type: "object", properties: { a: { type: "string" } } })).toBe("object")
    expect(kindOf({ anyOf: [{ type: "string" }, { type: "null" }] })).toBe("text")
  })

  it("X7: asks for JSON where a field can't say it", () => {
    expect(kindOf({})).toBe("json")
    expect(kindOf(true)).toBe("json")
    expect(kindOf({ anyOf: [{ type: "string" }, { type: "object" }] })).toBe("json")
    expect(kindOf({ type: "object", additionalProperties: {} })).toBe("json")
    expect(kindOf({ type: "array", items: {} })).toBe("json")
    let deep: unknown = { type: "string" }
    for (let depth = 0; depth < 50; depth++) deep = { type: "object", properties: { deep } }
    expect(JSON.stringify(formField("x", deep, false))).toContain('"json"')
  })

  it("X7: shows what is needed first, and leaves out what is empty", () => {
    const schema = {
      properties: { cwd: { type: "string" }, command: { type: "string" } },
      required: ["command"],
    }
    expect(fieldsOf(schema).map(({ name }) => name)).toEqual(["command", "cwd"])
    expect(withPart({ a: 1, b: 2 }, "a", undefined)).toEqual({ b: 2 })
    expect(withPart(undefined, "a", 1)).toEqual({ a: 1 })
  })
})
