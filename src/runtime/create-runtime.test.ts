import { describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { answer, toolThat } from "../../test/support/runtime/runtime-fixture.ts"
import { defineTool, type Tool } from "../contract/index.ts"
import { createPolicy } from "../policy/index.ts"
import { type CallEvent, createRuntime } from "./index.ts"

describe("what a tool can do wrong", () => {
  const failed = (message: string, more: object = {}) => ({
    ok: false,
    kind: "execution_error",
    message,
    tool: "test.tool",
    retryable: true,
    ...more,
  })

  it("O1, O14, C10.thrown: a tool that throws is answered by one failure without a stack trace", async () => {
    const thrown = await answer(() => {
      throw new Error("the disk is on fire\n    at somewhere (file.js:1:1)")
    })
    expect(thrown).toEqual(failed("the disk is on fire"))
    expect(await answer(() => Promise.reject("plain text"))).toEqual(
      failed('The tool threw the text "plain text".'),
    )
  })

  it("O1, O2.tool: undefined becomes null; the runtime fills in the tool's name", async () => {
    expect(await answer(() => undefined)).toEqual({ ok: true, tool: "test.tool", result: null })
  })

  it("O1, O35: a BigInt, a cycle and a function are failures that say where", async () => {
    const cycle: Record<string, unknown> = { inner: {} }
    cycle.inner = { again: cycle }
    const said = async (value: unknown) => {
      const envelope = await answer(() => value)
      return envelope.ok ? "ok" : envelope.message
    }
    expect(await said({ count: 1n })).toBe(
      "The tool ran, but its answer is not JSON: result.count is a bigint, which JSON can't hold.",
    )
    expect(await said(cycle)).toBe(
      "The tool ran, but its answer is not JSON: result.inner.again contains itself.",
    )
    expect(await said([() => 1])).toBe(
      "The tool ran, but its answer is not JSON: result[0] is a function, which JSON can't hold.",
    )
  })

  it("O34.cut, O34.named, O35, Y13.cut, Y13.counted: 100 MB are cut to head and tail, with the hidden bytes counted", async () => {
    const envelope = await answer(() => ({ text: "x".repeat(100_000_000) }))
    expect(JSON.stringify(envelope).length).toBeLessThan(51_000)
    expect(envelope).toMatchObject({
      result: { text: expect.stringContaining("[... 99950036 bytes left out ...]") },
      warnings: ["result.text: 99950036 bytes left out"],
    })
  })

  it("O1: a tool that calls back after its end changes nothing and is not heard", async () => {
    const events: CallEvent[] = []
    let late = () => {}
    const tool = toolThat((_input, context) => {
      late = () => {
        context.output({ stream: "stdout", bytes: new Uint8Array([1]) })
        context.warn("too late")
      }
      return "done"
    })
    const runtime = createRuntime({ tools: [tool] })
    runtime.listen((event) => events.push(event))
    const envelope = await runtime.call({ tool: "test.tool" })
    late()
    expect(envelope).toEqual({ ok: true, tool: "test.tool", result: "done" })
    expect(events.at(-1)?.kind).toBe("call-ended")
  })
})

describe("the stages before the tool runs", () => {
  const write = defineTool({
    name: "note.write",
    description: "Writes.",
    input: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1 },
        times: { type: "integer", default: 1 },
      },
      required: ["text"],
      additionalProperties: false,
    },
    effects: ["write"],
    run: (input) => input,
  })

  it("O9, C10.unknown: an unknown tool is named, with the nearest there is", async () => {
    const runtime = createRuntime({ tools: [write] })
    expect(await runtime.call({ tool: "note.wirte", input: {} })).toEqual({
      ok: false,
      kind: "tool_not_found",
      message: 'There is no tool "note.wirte"; did you mean "note.write"?',
      tool: "note.wirte",
      retryable: false,
    })
  })

  it("Y3.checked, O2.warnings: repairs are warnings in the envelope, and defaults reach the tool", async () => {
    const runtime = createRuntime({ tools: [write] })
    expect(await runtime.call({ tool: "note_write", input: '{"text":"a","times":"2"}' })).toEqual({
      ok: true,
      tool: "note.write",
      result: { text: "a", times: 2 },
      warnings: ['times: text "2" read as 2'],
    })
  })

  it("Y3.checked: the author's own schema has the last word, and its output is what runs", async () => {
    const tool = defineTool({
      name: "even.half",
      description: "Halves.",
      input: z.object({
        n: z
          .number()
          .refine((n) => n % 2 === 0, "must be even")
          .transform((n) => n / 2),
      }),
      run: ({ n }) => n,
    })
    const runtime = createRuntime({ tools: [tool] })
    expect(await runtime.call({ tool: "even.half", input: { n: "8" } })).toMatchObject({
      result: 4,
    })
    expect(await runtime.call({ tool: "even.half", input: { n: 3 } })).toEqual({
      ok: false,
      kind: "invalid_args",
      message: 'Argument "n" is not accepted: must be even',
      field: "n",
      tool: "even.half",
      retryable: true,
    })
  })

  it("Y10: policy is asked after the arguments were repaired, and a denied tool does not run", async () => {
    const ran = vi.fn()
    const policy = createPolicy({
      tools: { policy: "full", rules: [{ deny: "note.write", when: { text: "secret" } }] },
    })
    const tool = defineTool({ ...definitionOf(write), run: ran })
    const runtime = createRuntime({ tools: [tool], policy })
    const envelope = await runtime.call({ tool: "note.write", input: '{"text":"a secret"}' })
    expect(envelope).toMatchObject({ ok: false, kind: "rejected", retryable: false })
    expect(ran).not.toHaveBeenCalled()
    await runtime.call({ tool: "note.write", input: { text: "open" } })
    expect(ran).toHaveBeenCalledOnce()
  })

  it("R9.without, R9.missing: a tool that needs no sandbox runs without one; one that needs it gets a clear error", async () => {
    expect(await answer(() => "no sandbox")).toMatchObject({ ok: true })
    expect(await answer((_input, context) => context.workspace())).toEqual({
      ok: false,
      kind: "unavailable",
      message: "test.tool needs a sandbox and this call has none: open the session with a host.",
      tool: "test.tool",
      retryable: false,
    })
  })
})

describe("events", () => {
  it("F20.events: every stage is an event, in order, and the envelope is in the last", async () => {
    const events: CallEvent[] = []
    const policy = createPolicy({ tools: { policy: "full" } })
    const tool = toolThat((_input, context) => {
      context.output({ stream: "stdout", bytes: new TextEncoder().encode("hi") })
      return "done"
    })
    const runtime = createRuntime({ tools: [tool], policy })
    const stop = runtime.listen((event) => events.push(event))
    const envelope = await runtime.call({ tool: "test.tool", id: "call_1", agent: "a" })
    stop()
    await runtime.call({ tool: "test.tool" })
    expect(events.map((event) => event.kind)).toEqual([
      "call-requested",
      "call-checked",
      "call-judged",
      "call-started",
      "call-output",
      "call-ended",
    ])
    expect(events.every((event) => event.callId === "call_1")).toBe(true)
    expect(events.at(-1)).toMatchObject({ envelope })
  })

  it("F20: a listener that throws harms neither the call nor the other listeners", async () => {
    const complaint = vi.spyOn(console, "error").mockImplementation(() => {})
    const heard = vi.fn()
    const runtime = createRuntime({ tools: [toolThat(() => "done")] })
    runtime.listen(() => {
      throw new Error("bad listener")
    })
    runtime.listen(heard)
    expect(await runtime.call({ tool: "test.tool" })).toMatchObject({ ok: true })
    expect(heard).toHaveBeenCalledTimes(4)
    expect(complaint).toHaveBeenCalled()
    complaint.mockRestore()
  })
})

function definitionOf(tool: Tool) {
  const { name, description, inputSchema, effects } = tool
  return { name, description, input: inputSchema, effects }
}
