import { describe, expect, it } from "vitest"
import { type FailureKind, failure, failureKinds, success, ToolFailure } from "../index.ts"
import { isFailureKind } from "./failure-kinds.ts"

describe("a success", () => {
  it.each<[unknown]>([[{ path: "a" }], [["a"]], ["text"], [5], [false], [null]])(
    "O1, O2.result: carries any JSON: %j",
    (result) => {
      expect(success("demo.tool", result)).toEqual({ ok: true, tool: "demo.tool", result })
    },
  )

  it("O2.warnings: has warnings only when there are some, and keeps a copy of them", () => {
    const warnings = ["slow disk"]
    const envelope = success("demo.tool", null, warnings)
    warnings.push("later")
    expect(envelope).toEqual({ ok: true, tool: "demo.tool", result: null, warnings: ["slow disk"] })
    expect(Object.keys(success("demo.tool", null, []))).toEqual(["ok", "tool", "result"])
  })
})

describe("a failure", () => {
  it("O8: has the fields that were given, and no others", () => {
    const details = { kind: "invalid_args", message: "No.", field: undefined } as const
    expect(JSON.parse(JSON.stringify(failure("demo.tool", details)))).toEqual({
      ok: false,
      kind: "invalid_args",
      message: "No.",
      tool: "demo.tool",
      retryable: true,
    })
    expect(Object.keys(failure("demo.tool", details))).not.toContain("field")
    expect(failure("demo.tool", { ...details, field: "a.b", expected: "text" })).toEqual({
      ok: false,
      kind: "invalid_args",
      message: "No.",
      field: "a.b",
      expected: "text",
      tool: "demo.tool",
      retryable: true,
    })
  })

  it.each<[FailureKind, boolean]>([
    ["invalid_args", true],
    ["rejected", false],
    ["user_denied", false],
    ["timeout", true],
    ["execution_error", true],
    ["not_found", false],
    ["unavailable", true],
    ["tool_not_found", false],
  ])("O9: of kind %s says by default that trying again may help: %s", (kind, retryable) => {
    expect(failure("t", { kind, message: "" }).retryable).toBe(retryable)
    expect(failure("t", { kind, message: "", retryable: !retryable }).retryable).toBe(!retryable)
  })

  it("O9: there are eight kinds, and an inherited name is none of them", () => {
    expect(Object.keys(failureKinds)).toHaveLength(8)
    expect(["timeout", "toString", "constructor", 5, null, undefined].map(isFailureKind)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ])
  })

  it("O14: can be thrown, with its cause", () => {
    const cause = new Error("disk")
    const thrown = new ToolFailure({ kind: "unavailable", message: "Later." }, { cause })
    expect({ ...thrown, message: thrown.message, cause: thrown.cause }).toEqual({
      name: "ToolFailure",
      kind: "unavailable",
      message: "Later.",
      field: undefined,
      expected: undefined,
      retryable: undefined,
      cause,
    })
  })
})
