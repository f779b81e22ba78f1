import { describe, expect, it } from "vitest"
import { scriptedSession } from "../../../test/support/reactive/scripted-session.ts"
import {
  type Async,
  computed,
  type ExecResult,
  exec,
  type Handler,
  handler,
  pattern,
  type Ref,
  run,
  sandbox,
  Writable,
} from "../index.ts"

describe("in a handler", () => {
  const shell = pattern<
    { language: string },
    { history: Writable<ExecResult[]>; run: ReturnType<typeof handler<{ command: string }>> }
  >(({ language }) => {
    const sb = sandbox({ image: computed(() => `${language.get()}:1`) })
    const history = Writable.of<ExecResult[]>([])
    const run = handler<{ command: string }>(({ command }) => {
      const result = sb.exec(command)
      history.push(result.result)
    })
    return { history, run }
  })

  it("C15.exec: a step is of that moment and runs once, and its result is filled in when it arrives", async () => {
    const script = scriptedSession()
    await using running = run(shell, { language: "python" }, script)
    const { history, run: send } = running.out
    await send.send({ command: "slow" })
    await send.send({ command: "fast" })
    await send.send({ command: "fast" })
    expect(history.get()).toEqual([])
    await script.command("slow")
    await script.finish("fast", "F1")
    await script.finish("fast", "F2")
    expect(history.map(({ stdout }) => stdout)).toEqual(["F1", "F2"])
    await script.finish("slow", "S")
    expect(history.map(({ stdout }) => stdout)).toEqual(["S", "F1", "F2"])
    running.inputs.language.set("node")
    await running.settled()
    expect(script.open).toEqual([])
    expect(script.calls).toHaveLength(3)
    expect(script.sandboxes.size).toBe(1)
  })

  it("the output of what it asks for is shown where it is put, as it is printed", async () => {
    const script = scriptedSession()
    const terminal = pattern<
      object,
      { log: Writable<{ output: string }[]>; send: Handler<string> }
    >(() => {
      const sb = sandbox()
      const log = Writable.of<{ output: string }[]>([])
      return { log, send: handler<string>((text) => log.push({ output: sb.exec(text).output })) }
    })
    await using running = run(terminal, {}, script)
    await running.out.send.send("make")
    const call = await script.command("make")
    expect(running.out.log.get()).toEqual([{ output: "" }])
    call.print("one\n")
    await expect.poll(() => running.out.log.get()).toEqual([{ output: "one\n" }])
    call.print("two\n")
    await script.finish("make")
    expect(running.out.log.get()).toEqual([{ output: "one\ntwo\n" }])
  })

  it("what it writes is known to a step that it waits for", async () => {
    const script = scriptedSession()
    const asked = pattern<
      { code: string },
      { step: Async<ExecResult>; ask: ReturnType<typeof handler<string>>; last: Writable<string> }
    >(({ code }) => {
      const step = exec({ command: computed(() => `run ${code.get()}`) })
      const last = Writable.of("")
      const ask = handler<string>(async (text) => {
        code.set(text)
        const own = exec({ command: code })
        last.set(`${(await own.settled()).stdout} ${(await step.settled()).stdout}`)
      })
      return { step, ask, last }
    })
    await using running = run(asked, { code: "a" }, script)
    await script.finish("run a", "A")
    const sent = running.out.ask.send("b")
    await script.finish("b", "own")
    await script.finish("run b", "B")
    await sent
    expect(running.out.last.get()).toBe("own B")
  })

  it("what it starts is not a part of it, and after the end of its pattern it starts nothing", async () => {
    const script = scriptedSession()
    const gate = Promise.withResolvers<void>()
    const inner = pattern<object, { count: Ref<number>; step: Async<ExecResult> }>(() => {
      const count = Writable.of(0)
      count.set(1)
      return { count, step: exec({ command: "inner" }) }
    })
    const outer = pattern<object, { start: Handler<void>; late: Handler<void> }>(() => ({
      start: handler(async () => {
        await using running = run(inner, {}, script)
        expect(running.out.count.get()).toBe(1)
        await running.out.step.settled()
      }),
      late: handler(async () => {
        await gate.promise
        exec({ command: "late" })
      }),
    }))
    const running = run(outer, {}, script)
    const started = running.out.start.send()
    await script.finish("inner")
    await started
    const late = running.out.late.send()
    await running.dispose()
    gate.resolve()
    await expect(late).rejects.toThrow("This pattern has ended.")
    expect(script.calls).toHaveLength(1)
  })

  it("a step has to belong to a pattern, and computed asks for none", async () => {
    expect(() => exec({ command: "x" })).toThrow(/belongs to a pattern that runs/)
    const script = scriptedSession()
    const wrong = pattern<object, { text: { get(): unknown } }>(() => ({
      text: computed(() => exec({ command: "x" })),
    }))
    await using running = run(wrong, {}, script)
    expect(() => running.out.text.get()).toThrow(/in the body of the pattern, or in a handler/)
    expect(script.calls).toEqual([])
  })
})
