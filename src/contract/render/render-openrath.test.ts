import { describe, expect, it } from "vitest"
import { type FailureKind, failure, failureKinds, renderEnvelope, success } from "../index.ts"

const render = (result: unknown, warnings?: string[]) =>
  renderEnvelope("openrath", success("demo.tool", result, warnings))
const parsed = (result: unknown, warnings?: string[]) => JSON.parse(render(result, warnings))
const rest = " [... the rest is left out]"

describe("OpenRath's results have fixed fields", () => {
  it.each<[string, unknown, unknown]>([
    [
      "a command",
      { kind: "command", exit_code: 1, stdout: "o", stderr: "e", duration_ms: 5, cwd: "/" },
      { exit_code: 1, stdout: "o", stderr: "e", elapsed_ms: 5 },
    ],
    ["a file", { kind: "file", text: "hi", path: "a" }, { data: "hi" }],
    ["a binary file", { kind: "file", base64: "aGk=" }, { data: "aGk=" }],
    ["a listing", { kind: "listing", entries: [{ name: "a" }] }, [{ name: "a" }]],
    ["a written file", { kind: "write", bytes_written: 5, path: "a" }, { bytes_written: 5 }],
    [
      "code",
      { kind: "code", stdout: "o", stderr: "e" },
      { text: null, stdout: "o", stderr: "e", error: null },
    ],
    ["true", true, { ok: true }],
    ["false", false, { ok: false }],
    ["anything else", { a: [1] }, { a: [1] }],
    ["a text", "plain", "plain"],
    ["null", null, null],
  ])("R7.fields: %s", (_, result, fields) => {
    expect(parsed(result)).toEqual(fields)
  })

  it("R7: warnings stand beside the fields, or around a result that has none", () => {
    expect(parsed({ kind: "write", bytes_written: 5 }, ["full"])).toEqual({
      bytes_written: 5,
      warnings: ["full"],
    })
    expect(parsed({ kind: "listing", entries: [] }, ["partial"])).toEqual({
      result: [],
      warnings: ["partial"],
    })
  })
})

describe("OpenRath's limits", () => {
  it("R7.json: 48,000 characters of JSON in all", () => {
    expect(render("x".repeat(47_998))).toBe(`"${"x".repeat(47_998)}"`)
    expect(render("x".repeat(47_999))).toBe(`"${"x".repeat(48_000 - rest.length - 1)}${rest}`)
    expect(render("x".repeat(1_000_000))).toHaveLength(48_000)
  })

  it("R7.file: 12,000 characters of file text, and no half of a surrogate pair", () => {
    const data = (text: string) => parsed({ kind: "file", text }).data
    expect(data("x".repeat(12_000))).toBe("x".repeat(12_000))
    expect(data("x".repeat(12_001))).toBe(`${"x".repeat(12_000 - rest.length)}${rest}`)
    expect(data(`x${"😀".repeat(10_000)}`)).toBe(
      `x${"😀".repeat((12_000 - rest.length - 1) / 2)}${rest}`,
    )
  })

  it("R7.entries: 500 entries", () => {
    const entries = Array.from({ length: 501 }, (_, index) => index)
    expect(parsed({ kind: "listing", entries })).toEqual(entries.slice(0, 500))
  })
})

describe("OpenRath's failures", () => {
  it.each<[FailureKind, string]>(
    (Object.keys(failureKinds) as FailureKind[]).map((kind) => [
      kind,
      { invalid_args: "invalid_tool_arguments", tool_not_found: "unknown_tool" }[kind as string] ??
        "tool_execution_exception",
    ]),
  )("R7.fields, R11.arguments, R11.unknown, R11.exception: %s is %s", (kind, error_kind) => {
    const failed = failure("demo.tool", { kind, message: "No.", field: "a" })
    expect(JSON.parse(renderEnvelope("openrath", failed))).toEqual({
      ok: false,
      error_kind,
      message: "No.",
      detail: { kind, field: "a", expected: null },
    })
  })
})
