import { describe, expect, it } from "vitest"
import { scriptedSession } from "../../../test/support/reactive/scripted-session.ts"
import {
  type Async,
  computed,
  type ExecResult,
  exec,
  handler,
  jsx,
  NAME,
  pattern,
  run,
  sandbox,
  UI,
  type ViewChange,
  Writable,
} from "../index.ts"

const div = (...children: readonly unknown[]) => jsx("div", { children })

describe("a pattern", () => {
  it("C20.parts: has a name and a page as data with holes; what changes together is one message", async () => {
    const counter = pattern<{ step: number }>(({ step }) => {
      const count = Writable.of(0)
      const add = handler(() => {
        count.set(count.get() + step.get())
        step.set(step.get() + 1)
      })
      return {
        [NAME]: computed(() => `Count ${count.get()}`),
        [UI]: div(
          "now ",
          count,
          () => count.get() > 1 && jsx("b", { class: () => `step-${step.get()}`, children: step }),
          jsx("button", { onclick: add, title: () => `by ${step.get()}`, children: "add" }),
        ),
      }
    })
    await using running = run(counter, { step: 2 }, scriptedSession())
    expect(running.ui.snapshot()).toEqual({
      name: "Count 0",
      tree: [
        {
          tag: "div",
          props: {},
          children: [
            "now ",
            { hole: 0 },
            { hole: 1 },
            {
              tag: "button",
              props: { onclick: { handler: "h1" }, title: { hole: 2 } },
              children: ["add"],
            },
          ],
        },
      ],
      holes: { 0: ["0"], 1: [], 2: "by 2" },
    })
    const changes: ViewChange[] = []
    const stop = running.ui.watch((change) => changes.push(change))
    const sent = running.ui.send("h1", {})
    // Another page opens in the middle of it: neither misses something.
    const others: ViewChange[] = []
    running.ui.watch((change) => others.push(change))()
    await sent
    const bold = { tag: "b", props: { class: "step-3" }, children: ["3"] }
    expect(changes).toEqual([{ name: "Count 2", holes: { 0: ["2"], 1: [bold], 2: "by 3" } }])
    stop()
    await running.ui.send("h1", {})
    expect(changes).toHaveLength(1)
    expect(running.name).toBe("Count 5")
  })

  it("handlers in a list keep their numbers with what they are bound to, and one that is gone says so", async () => {
    const remove = handler<unknown, { list: Writable<string[]>; item: string }>(
      (_event, { list, item }) => {
        list.set(list.get().filter((one) => one !== item))
      },
    )
    const list = pattern<{ items: string[] }>(({ items }) => ({
      [UI]: div(() =>
        items.map((item) =>
          jsx("button", { onclick: remove({ list: items, item }), children: item }),
        ),
      ),
    }))
    await using running = run(list, { items: ["a", "b"] }, scriptedSession())
    const button = (handler: string, text: string) => ({
      ...{ tag: "button", props: { onclick: { handler } }, children: [text] },
    })
    expect(running.ui.snapshot().holes[0]).toEqual([button("h1", "a"), button("h2", "b")])
    await running.ui.send("h1", {})
    expect(running.ui.snapshot().holes[0]).toEqual([button("h2", "b")])
    await expect(running.ui.send("h1", {})).rejects.toThrow("no longer on the page")
  })

  it("an error is shown in its place while the rest goes on, and a failure reads as its message", async () => {
    const script = scriptedSession()
    const shaky = pattern<{ text: string }>(({ text }) => {
      const step = exec({ command: text })
      return {
        [UI]: div(
          () => JSON.parse(text.get()).name,
          () => step.error && jsx("pre", { children: step.error }),
          () => step.result?.stdout,
        ),
      }
    })
    await using running = run(shaky, { text: "{" }, script)
    ;(await script.command("{")).fail("timeout", "Too late.")
    await running.settled()
    expect(running.ui.snapshot().holes).toEqual({
      0: [{ error: { kind: "execution_error", message: expect.stringContaining("JSON") } }],
      1: [{ tag: "pre", props: {}, children: ["Too late."] }],
      2: [],
    })
    running.inputs.text.set('{"name":"ok"}')
    expect(running.ui.snapshot().holes[0]).toEqual(["ok"])
  })

  it("is a part of another one, which gives it inputs that may still come", async () => {
    const script = scriptedSession()
    const child = pattern<{ of: string; total: number }, { step: Async<ExecResult> }>(
      ({ of, total }) => {
        const step = exec({ command: computed(() => `count ${of.get()}`) })
        const set = handler(() => total.set(step.result ? Number(step.result.stdout) : 0))
        return { step, [UI]: jsx("button", { onclick: set, children: of }) }
      },
    )
    const parent = pattern<object, { total: Writable<number> }>(() => {
      const total = Writable.of(0)
      const first = exec({ command: "first" })
      const part = child({ of: computed(() => `${first.result?.stdout}`), total })
      return { total, [NAME]: "Parent", [UI]: div(part, () => part.step.pending && "…") }
    })
    await using running = run(parent, {}, script)
    expect(running.ui.snapshot().holes).toEqual({ 0: ["undefined"], 1: ["…"] })
    await script.finish("first", "A")
    await script.finish("count A", "7")
    expect(running.ui.snapshot().holes).toEqual({ 0: ["A"], 1: [] })
    await running.ui.send("h1", {})
    expect(running.out.total.get()).toBe(7)
    expect(() => child({ of: "x", total: 1 })).toThrow(/start this one with run/)
  })

  it("says in a sentence what a body can't be", async () => {
    const script = scriptedSession()
    const bodies: readonly [() => unknown, RegExp][] = [
      [async () => ({}), /can't be async/],
      [() => undefined, /has to return an object/],
      [() => ({ [UI]: jsx("button", { onclick: () => {} }) }), /onclick takes a handler/],
      [() => ({ [NAME]: `name: ${computed(() => 1)}` }), /computed\(\(\) => …\) around it/],
    ]
    for (const [body, message] of bodies) {
      const wrong = pattern<object>(() => {
        exec({ command: "left running?" })
        return body() as Record<string, unknown>
      })
      expect(() => run(wrong, {}, script)).toThrow(message)
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(script.open).toEqual([])
  })
})

describe("the end of a pattern", () => {
  it("C15.status, C15.name: ends steps and sandboxes, once; nothing runs after it", async () => {
    const script = scriptedSession()
    const long = pattern<
      { code: string },
      {
        step: Async<ExecResult>
        say: ReturnType<typeof handler<string>>
        status: { get(): string }
      }
    >(({ code }) => {
      const sb = sandbox()
      const step = sb.exec(code)
      return {
        step,
        say: handler<string>((text) => sb.exec(text)),
        status: computed(() => `${sb.name} ${sb.status}`),
      }
    })
    const running = run(long, { code: "sleep" }, script)
    expect(running.out.status.get()).toMatch(/^sandbox0-\w+ sleeping$/)
    const call = await script.command("sleep")
    expect(running.out.status.get()).toMatch(/ running$/)
    const waiting = running.out.step.settled()
    await Promise.all([
      running.dispose(),
      running.dispose(),
      expect(waiting).rejects.toThrow(/has ended/),
    ])
    expect(call.signal.aborted).toBe(true)
    expect([...script.sandboxes]).toEqual([])
    running.inputs.code.set("again")
    await expect(running.out.say.send("x")).rejects.toThrow("This pattern has ended.")
    expect(script.calls).toHaveLength(1)
    expect(running.out.status.get()).toMatch(/ destroyed$/)
  })
})
