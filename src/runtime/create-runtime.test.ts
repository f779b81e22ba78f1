import { describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { defineTool, type Envelope, type Tool, type ToolDefinition } from "../contract/index.ts"
import type { Clock } from "../kit/index.ts"
import { createPolicy } from "../policy/index.ts"
import type { ApprovalRequest, CallEvent, CallRequest, RuntimeOptions } from "./index.ts"
import { createRuntime } from "./index.ts"

const empty = { type: "object", properties: {}, additionalProperties: false } as const

type Schema = typeof empty
type Run = ToolDefinition<Schema>["run"]

function toolThat(run: Run, rest: Partial<ToolDefinition<Schema>> = {}): Tool {
  return defineTool({ name: "test.tool", description: "A tool.", inputSchema: empty, run, ...rest })
}

function answer(
  run: Run,
  {
    tool,
    request,
    ...options
  }: Omit<RuntimeOptions, "tools"> & {
    tool?: Partial<ToolDefinition<Schema>>
    request?: Partial<CallRequest>
  } = {},
): Promise<Envelope> {
  const runtime = createRuntime({ ...options, tools: [toolThat(run, tool)] })
  return runtime.call({ tool: "test.tool", input: {}, ...request })
}

const hang = () => new Promise<never>(() => {})

/** A clock that jumps: every timer fires as soon as the code under test waits. */
const impatient: Clock = {
  now: () => 0,
  after: (_milliseconds, callback) => {
    const timer = setTimeout(callback, 1)
    return () => clearTimeout(timer)
  },
}

describe("what a tool can do wrong", () => {
  const failed = (message: string, more: object = {}) => ({
    ok: false,
    kind: "execution_error",
    message,
    tool: "test.tool",
    retryable: true,
    ...more,
  })

  it("O1, O14, C10: a tool that throws is answered by one failure without a stack trace", async () => {
    const thrown = await answer(() => {
      throw new Error("the disk is on fire\n    at somewhere (file.js:1:1)")
    })
    expect(thrown).toEqual(failed("the disk is on fire"))
    expect(await answer(() => Promise.reject("plain text"))).toEqual(
      failed('The tool threw the text "plain text".'),
    )
  })

  it("O1, O2: undefined becomes null; the runtime fills in the tool's name", async () => {
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

  it("O34, O35, Y13: 100 MB are cut to head and tail, with the hidden bytes counted", async () => {
    const envelope = await answer(() => ({ text: "x".repeat(100_000_000) }))
    if (!envelope.ok) throw new Error(envelope.message)
    const { text } = envelope.result as { text: string }
    expect(text.length).toBeLessThan(51_000)
    expect(text).toContain("[... 99950000 bytes left out ...]")
    expect(envelope.warnings).toEqual(["result.text: 99950000 bytes left out"])
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

describe("deadlines", () => {
  it("O28, Y12: a tool that hangs is ended at the 120 s cap and answered as a timeout", async () => {
    const aborted = vi.fn()
    const events: CallEvent[] = []
    const tool = toolThat((_input, { signal }) => {
      signal.addEventListener("abort", aborted)
      return hang()
    })
    const runtime = createRuntime({ tools: [tool], clock: impatient })
    runtime.listen((event) => events.push(event))
    expect(await runtime.call({ tool: "test.tool" })).toEqual({
      ok: false,
      kind: "timeout",
      message:
        "The call was ended after 120000 ms, its deadline. Ask for less at once, or allow more time.",
      tool: "test.tool",
      retryable: true,
    })
    expect(aborted).toHaveBeenCalledOnce()
    expect(events.find((event) => event.kind === "call-started")).toMatchObject({
      timeoutMs: 120_000,
    })
  })

  it("O28: a tool that opts out of the cap has no deadline but the caller's", async () => {
    const timeouts: unknown[] = []
    const tool = toolThat(() => "done", { timeoutMs: null })
    const runtime = createRuntime({ tools: [tool] })
    runtime.listen((event) => event.kind === "call-started" && timeouts.push(event.timeoutMs))
    await runtime.call({ tool: "test.tool" })
    await runtime.call({ tool: "test.tool", timeoutMs: 50 })
    expect(timeouts).toEqual([null, 50])
  })

  it("F8, Y12: the caller's deadline ends the work before the answer is given", async () => {
    let stoppedAt = 0
    const started = performance.now()
    const envelope = await answer(
      async (_input, { signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
        await new Promise((resolve) => setTimeout(resolve, 30))
        stoppedAt = performance.now()
        return "too late to count"
      },
      { request: { timeoutMs: 40 } },
    )
    expect(envelope).toMatchObject({ ok: false, kind: "timeout" })
    expect(stoppedAt - started).toBeGreaterThan(60)
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it("F8, F9: the caller's signal is composed with the deadline; its timeout is a timeout", async () => {
    const wait: Run = (_input, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
    const cancelled = await answer(wait, { request: { signal: AbortSignal.abort() } })
    expect(cancelled).toMatchObject({
      kind: "execution_error",
      message: "The caller cancelled the call before it was done.",
    })
    const late = await answer(wait, { request: { signal: AbortSignal.timeout(10) } })
    expect(late).toMatchObject({ kind: "timeout" })
  })

  it("F8: a call that is cancelled before it starts, or while a person decides, never runs", async () => {
    const ran = vi.fn()
    await answer(ran, { request: { signal: AbortSignal.abort() } })
    const policy = createPolicy({ tools: { policy: "full", hooks: { confirm: ["*"] } } })
    const request = { signal: AbortSignal.timeout(10) }
    expect(await answer(ran, { policy, approve: hang, request })).toMatchObject({ kind: "timeout" })
    expect(ran).not.toHaveBeenCalled()
  })

  it("O25: a tool ended by a person may answer with what it has; one that does not is a failure", async () => {
    const start = (run: Run) => {
      const runtime = createRuntime({ tools: [toolThat(run)] })
      const running = runtime.start({ tool: "test.tool" })
      setTimeout(running.terminate, 20)
      return running.envelope
    }
    const aware = start(async (_input, { terminated }) => {
      await new Promise((resolve) => terminated.addEventListener("abort", resolve))
      return { killed_by: "user" }
    })
    expect(await aware).toMatchObject({ ok: true, result: { killed_by: "user" } })
    const unaware = start(
      (_input, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    )
    expect(await unaware).toMatchObject({
      ok: false,
      kind: "execution_error",
      message: "A person ended the call before it was done.",
      retryable: false,
    })
  })
})

describe("the stages before the tool runs", () => {
  const write = defineTool({
    name: "note.write",
    description: "Writes.",
    inputSchema: {
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

  it("O9, C10, R11: an unknown tool is named, with the nearest there is", async () => {
    const runtime = createRuntime({ tools: [write] })
    expect(await runtime.call({ tool: "note.wirte", input: {} })).toEqual({
      ok: false,
      kind: "tool_not_found",
      message: 'There is no tool "note.wirte"; did you mean "note.write"?',
      tool: "note.wirte",
      retryable: false,
    })
  })

  it("Y3, O2: repairs are warnings in the envelope, and defaults reach the tool", async () => {
    const runtime = createRuntime({ tools: [write] })
    expect(await runtime.call({ tool: "note_write", input: '{"text":"a","times":"2"}' })).toEqual({
      ok: true,
      tool: "note.write",
      result: { text: "a", times: 2 },
      warnings: ['times: text "2" read as 2'],
    })
  })

  it("Y3: the author's own schema has the last word, and its output is what runs", async () => {
    const tool = defineTool({
      name: "even.half",
      description: "Halves.",
      inputSchema: z.object({
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

  it("R9: a tool that needs no sandbox runs without one; one that needs it gets a clear error", async () => {
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

describe("approvals", () => {
  const policy = createPolicy({ tools: { policy: "full", hooks: { confirm: ["test.*"] } } })
  const say = {
    type: "object",
    properties: { word: { type: "string" } },
    additionalProperties: false,
  } as const
  const tool = defineTool({
    name: "test.say",
    description: "Says.",
    inputSchema: say,
    run: ({ word }) => word,
  })

  it("Y11: a person is asked about exactly what will run, and a yes lets it run", async () => {
    const asked: ApprovalRequest[] = []
    const runtime = createRuntime({
      tools: [tool],
      policy,
      approve: async (request) => {
        asked.push(request)
        // Neither the caller's object nor the request's copy is what runs.
        ;(request.input as { word: string }).word = "changed by the approver"
        input.word = "changed by the caller"
        return { kind: "approved", fingerprint: request.fingerprint }
      },
    })
    const input = { word: "hello" }
    expect(await runtime.call({ tool: "test.say", input })).toMatchObject({ result: "hello" })
    expect(asked[0]).toMatchObject({ tool: "test.say", title: "Test say", sandbox: null })
    expect(asked[0]?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  })

  it("O9, Y11: a no is user_denied with the person's reason", async () => {
    const runtime = createRuntime({
      tools: [tool],
      policy,
      approve: async () => ({ kind: "denied", reason: "not today" }),
    })
    expect(await runtime.call({ tool: "test.say", input: {} })).toEqual({
      ok: false,
      kind: "user_denied",
      message: "A person said no to this call: not today",
      tool: "test.say",
      retryable: false,
    })
  })

  it("Y11: an approval of other arguments is worth nothing", async () => {
    const fingerprints: string[] = []
    const runtime = createRuntime({
      tools: [tool],
      policy,
      approve: async (request) => {
        fingerprints.push(request.fingerprint)
        return { kind: "approved", fingerprint: fingerprints[0] ?? "" }
      },
    })
    expect(await runtime.call({ tool: "test.say", input: { word: "a" } })).toMatchObject({
      ok: true,
    })
    expect(await runtime.call({ tool: "test.say", input: { word: "a" } })).toMatchObject({
      ok: true,
    })
    expect(await runtime.call({ tool: "test.say", input: { word: "b" } })).toMatchObject({
      ok: false,
      kind: "rejected",
      message: "The approval was given for another call than this one.",
    })
  })

  it("Y11: with nobody to ask, an ask is refused and says what to do", async () => {
    const envelope = await createRuntime({ tools: [tool], policy }).call({ tool: "test.say" })
    expect(envelope).toMatchObject({ ok: false, kind: "rejected" })
    expect(envelope.ok ? "" : envelope.message).toContain("connect an approver")
  })

  it("Y11: an approver that throws or never answers still gives one envelope", async () => {
    const broken = createRuntime({
      tools: [tool],
      policy,
      approve: () => Promise.reject(new Error("the phone is off")),
    })
    expect(await broken.call({ tool: "test.say" })).toMatchObject({ kind: "execution_error" })
    const silent = createRuntime({ tools: [tool], policy, approve: hang, clock: impatient })
    expect(await silent.call({ tool: "test.say" })).toMatchObject({ kind: "unavailable" })
  })
})

describe("events", () => {
  it("F20: every stage is an event, in order, and the envelope is in the last", async () => {
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
  return { name, description, inputSchema, effects }
}
