import { describe, expect, it } from "vitest"
import { z } from "zod"
import { answer } from "../../test/support/runtime/runtime-fixture.ts"
import { defineTool, failure, type JsonSchema, success, ToolFailure } from "../contract/index.ts"
import { createRuntime } from "./index.ts"

const tool = "test.tool"
const good = (result: unknown, ...warnings: string[]) => success(tool, result, warnings)
const bad = (message: string, more: object = {}) =>
  failure(tool, { kind: "execution_error", message, ...more })

describe("a tool that returns an envelope", () => {
  it.each<[string, unknown, unknown]>([
    ["a success", { ok: true, result: { size: 3 } }, good({ size: 3 })],
    ["a success of nothing", { ok: true, result: null }, good(null)],
    [
      "a success in another tool's name, with warnings",
      { ok: true, tool: "other", result: 1, warnings: ["slow disk"] },
      good(1, "slow disk"),
    ],
    [
      "a failure with every field",
      {
        ok: false,
        kind: "invalid_args",
        message: "Missing `content`.",
        field: "content",
        expected: "text",
        tool: "other",
        retryable: false,
      },
      {
        ...bad("Missing `content`.", { kind: "invalid_args", field: "content", expected: "text" }),
        retryable: false,
      },
    ],
    [
      "a failure with the default of its kind",
      { ok: false, kind: "not_found", message: "Gone." },
      bad("Gone.", { kind: "not_found" }),
    ],
  ])(
    "O1, X2.envelope: answers with it, as an object and as JSON text: %s",
    async (_, value, expected) => {
      expect(await answer(() => value)).toEqual(expected)
      expect(await answer(() => JSON.stringify(value))).toEqual(expected)
      expect(await answer(async () => ` \n${JSON.stringify(value, null, 2)}\n`)).toEqual(expected)
    },
  )

  it("X2: may return the answer of another tool, and its failure stays one", async () => {
    const input = { type: "object", properties: {}, additionalProperties: false } as const
    const lost = defineTool({
      ...{ name: "test.lost", description: "Fails.", input },
      run: () => {
        throw new ToolFailure({ kind: "not_found", message: "Lost." })
      },
    })
    const asking = defineTool({
      ...{ name: tool, description: "Asks another.", input },
      run: () => runtime.call({ tool: "test.lost" }),
    })
    const runtime = createRuntime({ tools: [lost, asking] })
    expect(await runtime.call({ tool })).toEqual(bad("Lost.", { kind: "not_found" }))
  })

  it("O1, O34, X2: is still cut to the budgets of results, warnings and messages", async () => {
    const long = "x".repeat(300_000)
    const cut = await answer((_input, context) => {
      context.warn(long)
      return { ok: true, result: { text: long }, warnings: [long, ...Array(30).fill("more")] }
    })
    if (!cut.ok) throw new Error(cut.message)
    expect(cut.result).toEqual({ text: expect.stringMatching(/^.{1,50999}$/s) })
    expect(cut.warnings?.length).toBe(21)
    expect(cut.warnings?.at(-1)).toBe("and 13 more warnings")
    expect(Math.max(...(cut.warnings ?? []).map(({ length }) => length))).toBeLessThan(2_100)
    const failed = await answer(() => ({
      ...{ ok: false, kind: "timeout", message: long, field: long, expected: long },
    }))
    expect(JSON.stringify(failed).length).toBeLessThan(56_000)
    expect(failed).toMatchObject({ ok: false, kind: "timeout" })
  })

  it.each<[string, unknown, unknown]>([
    [
      "a kind that there is not",
      { ok: false, kind: "disk_full", message: "No room." },
      bad("disk_full: No room."),
    ],
    [
      "a kind that every object inherits",
      { ok: false, kind: "constructor", message: "No." },
      bad("constructor: No."),
    ],
    ["no kind", { ok: false, message: "No room." }, bad("No room.")],
    [
      "no message",
      { ok: false, kind: "timeout" },
      bad("The tool failed and gave no reason.", { kind: "timeout" }),
    ],
    ["nothing at all", { ok: false }, bad("The tool failed and gave no reason.")],
    [
      "fields of the wrong types",
      {
        ...{ ok: false, kind: 7, message: "No.", field: ["a"], expected: {}, retryable: "no" },
        tool: 5,
      },
      bad("No."),
    ],
    [
      "keys of its own",
      { ok: false, kind: "timeout", message: "Late.", exit_code: 1 },
      {
        ...bad("Late.", { kind: "timeout" }),
      },
    ],
    ["the reason in an older place", { ok: false, error: "no disk" }, bad("no disk")],
  ])("O1, X2: a failure that has %s stays a failure", async (_, value, expected) => {
    expect(await answer(() => value)).toEqual(expected)
    expect(await answer(() => JSON.stringify(value))).toEqual(expected)
  })

  it("X2: a success with keys that envelopes lack says which were left out; odd warnings are", async () => {
    const value = { ok: true, result: 1, pages: 2, kind: "x", warnings: ["one", 5, null, " "] }
    expect(await answer(() => value)).toEqual(
      good(1, "one", "answer: an envelope has no pages, kind; left out"),
    )
    expect(await answer(() => ({ ok: true, result: 1, warnings: "one" }))).toEqual(good(1, "one"))
  })

  it("X2: a failure that is returned instead of thrown is a failure", async () => {
    const gone = new ToolFailure({ kind: "not_found", message: "Gone." })
    expect(await answer(() => gone)).toEqual(bad("Gone.", { kind: "not_found" }))
    expect(await answer(() => new Error("Broken."))).toEqual(bad("Broken."))
  })
})

describe("a tool that returns a ToolResult", () => {
  it.each<[string, unknown, unknown]>([
    ["a success", { success: true, output: "2 files" }, good({ text: "2 files" })],
    ["an empty success", { success: true, output: "" }, good({ text: "" })],
    [
      "a success with data beside its text",
      { success: true, output: "2 files", count: 2 },
      good({ text: "2 files", count: 2 }),
    ],
    [
      "a success with an error",
      { success: true, output: "a", error: "1 skipped" },
      good({ text: "a" }, "1 skipped"),
    ],
    ["a failure", { success: false, output: "", error: "No repository." }, bad("No repository.")],
    [
      "a failure with output",
      { success: false, output: "half", error: "Broken." },
      bad("Broken.\nhalf"),
    ],
    [
      "a failure without a reason",
      { success: false, output: "" },
      bad("The tool failed and gave no reason."),
    ],
    ["a failure without output", { success: false, error: "Broken." }, bad("Broken.")],
  ])("Y2, X2.result: answers with it: %s", async (_, value, expected) => {
    expect(await answer(() => value)).toEqual(expected)
    expect(await answer(() => JSON.stringify(value))).toEqual(expected)
  })
})

describe("a tool that returns one of the older failures", () => {
  it.each<[string, unknown, unknown]>([
    ["[REJECTED]", "[REJECTED] Not here.", bad("Not here.", { kind: "rejected" })],
    ["[TIMEOUT]", "\n[TIMEOUT] after 5 s", bad("after 5 s", { kind: "timeout" })],
    ["an error as JSON text", '{"error": "no disk"}', bad("no disk")],
    [
      "an error with its kind",
      { error: { kind: "not_found", message: "Gone." } },
      bad("Gone.", { kind: "not_found" }),
    ],
    [
      "an error that is a kind",
      { error: "timeout", message: "Slow." },
      bad("Slow.", { kind: "timeout" }),
    ],
  ])("O11, X2: fails: %s", async (_, value, expected) => {
    expect(await answer(() => value)).toEqual(expected)
  })
})

describe("a result that only looks like an envelope", () => {
  it.each<[string, unknown]>([
    ["ok without a result", { ok: true, size: 5 }],
    ["ok that is a text", { ok: "false", kind: "timeout", message: "x" }],
    ["a check that found something down", { ok: false, status: 503 }],
    ["the same by another word", { success: false, attempts: 3 }],
    ["success without a text", { success: true, output: { files: 2 } }],
    ["data with an error beside it", { lines: 5, error: "1 skipped" }],
    ["no error", { error: null }],
    ["text that mentions a prefix", "It said [TIMEOUT]."],
    ["JSON text of data", '{"ok": true, "size": 5}'],
    ["broken JSON text", '{"ok": false, "kind": "timeout"'],
    ["a list of envelopes", [{ ok: false, kind: "timeout", message: "x" }]],
  ])("X2: is a result: %s", async (_, value) => {
    expect(await answer(() => value)).toEqual(good(value))
  })
})

describe("a declared output", () => {
  const call = (output: JsonSchema, value: unknown) =>
    answer(() => value, { tool: { output: output as never } })
  const probe = {
    type: "object",
    properties: { ok: { type: "boolean" }, result: { type: "string" } },
    required: ["ok", "result"],
    additionalProperties: false,
  } as const

  it("X2: that describes such a value makes it the result", async () => {
    const value = { ok: true, result: "up" }
    expect(await call(probe, value)).toEqual(good(value))
    const $defs = { probe }
    expect(
      await call({ anyOf: [{ $ref: "#/$defs/probe" }, { type: "null" }], $defs }, value),
    ).toEqual(good(value))
    const text = JSON.stringify({ ok: false, kind: "timeout", message: "x" })
    expect(await call({ type: "string" }, text)).toEqual(good(text))
    expect(await call({ type: "string" }, "[TIMEOUT] in line 3")).toEqual(
      good("[TIMEOUT] in line 3"),
    )
    const told = { success: false, output: "", error: "x" }
    const properties = { success: { type: "boolean" }, output: {}, error: {} } as const
    expect(await call({ type: "object", properties }, told)).toEqual(good(told))
  })

  it("X2: that takes anything, or something else, leaves an envelope the answer", async () => {
    const failed = { ok: false, kind: "not_found", message: "Gone." }
    for (const output of [{}, { type: "object" }, probe] as const) {
      expect(await call(output, failed)).toEqual(bad("Gone.", { kind: "not_found" }))
    }
  })

  it("O1, X2: holds for the result inside an envelope", async () => {
    const count = {
      type: "object",
      properties: { count: { type: "integer" } },
      required: ["count"],
    } as const
    expect(await call(count, { ok: true, result: { count: 3 } })).toEqual(good({ count: 3 }))
    expect(await call(count, { ok: true, result: { count: "three" } })).toEqual(
      bad(
        "The tool ran, but its answer does not fit its output schema: result.count must be integer.",
        { retryable: false },
      ),
    )
    expect(await call(count, { success: true, output: "3" })).toMatchObject({ ok: false })
  })

  it("X2: allows an envelope by its types, and nothing else beside its own", async () => {
    const counting = defineTool({
      ...{ name: tool, description: "Counts." },
      input: z.object({ fails: z.boolean() }),
      output: z.object({ count: z.int() }),
      run: ({ fails }) =>
        fails ? { ok: false, kind: "not_found", message: "Gone." } : { count: 3 },
    })
    // @ts-expect-error: another kind of failure than there is
    defineTool({
      ...{ name: tool, description: "Counts." },
      input: z.object({}),
      output: z.object({ count: z.int() }),
      run: () => ({ ok: false, kind: "lost", message: "Gone." }),
    })
    const runtime = createRuntime({ tools: [counting] })
    expect(await runtime.call({ tool, input: { fails: true } })).toMatchObject({
      kind: "not_found",
    })
    expect(await runtime.call({ tool, input: { fails: false } })).toEqual(good({ count: 3 }))
  })
})
