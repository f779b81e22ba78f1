import { describe, expect, it, vi } from "vitest"
import {
  answer,
  hang,
  impatient,
  type Run,
  toolThat,
} from "../../test/support/runtime/runtime-fixture.ts"
import { ToolFailure } from "../contract/index.ts"
import { createPolicy } from "../policy/index.ts"
import { type CallEvent, createRuntime } from "./index.ts"

describe("deadlines", () => {
  it("O28.cap, Y12: a tool that hangs is ended at the 120 s cap and answered as a timeout", async () => {
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

  it("O28.shell: a tool that opts out of the cap has no deadline but the caller's", async () => {
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
  })

  it("F8, F9: the caller's signal is composed with the deadline; its timeout is a timeout", async () => {
    const wait: Run = (_input, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
    const cancelled = await answer(wait, { request: { signal: AbortSignal.abort() } })
    expect(cancelled).toMatchObject({
      kind: "execution_error",
      message: "The caller cancelled the call before it was done.",
    })
    const reason = new ToolFailure({ kind: "unavailable", message: "The server was stopped." })
    const stopped = await answer(wait, { request: { signal: AbortSignal.abort(reason) } })
    expect(stopped).toMatchObject({ kind: "unavailable", message: "The server was stopped." })
    const late = await answer(wait, { request: { signal: AbortSignal.timeout(10) } })
    expect(late).toMatchObject({ kind: "timeout" })
  })

  it("F8, F11: a caller without a signal can cancel too, and is told of its own reason", async () => {
    const reasons: unknown[] = []
    const tool = toolThat((_input, { signal }) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason))
      return hang()
    })
    const call = createRuntime({ tools: [tool], clock: impatient }).start({ tool: "test.tool" })
    call.cancel("enough")
    expect(await call.envelope).toMatchObject({
      kind: "execution_error",
      message: "The caller cancelled the call before it was done.",
    })
    call.cancel("too late")
    const running = createRuntime({ tools: [tool] }).start({ tool: "test.tool" })
    await new Promise((resolve) => setImmediate(resolve))
    running.cancel("stop it")
    expect(await running.envelope).toMatchObject({ kind: "execution_error" })
    expect(reasons).toEqual(["stop it"])
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
