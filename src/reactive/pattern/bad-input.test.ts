import { expect, it, vi } from "vitest"
import { scriptedSession } from "../../../test/support/reactive/scripted-session.ts"
import {
  type Async,
  computed,
  type ExecResult,
  exec,
  fetchData,
  type Handler,
  handler,
  jsx,
  pattern,
  type Ref,
  readSandboxFile,
  run,
  sandbox,
  UI,
  Writable,
} from "../index.ts"

const div = (...children: readonly unknown[]) => jsx("div", { children })

it("a body that throws is the error of run, and nothing of it goes on", async () => {
  const script = scriptedSession()
  const wrong = pattern<object>(() => {
    sandbox().exec("left running?")
    throw new Error("Not today.")
  })
  expect(() => run(wrong, {}, script)).toThrow(new Error("Not today."))
  await new Promise((resolve) => setImmediate(resolve))
  expect([script.calls, [...script.sandboxes]]).toEqual([[], []])
})

it("a body that loops for ever is the error of run, and nothing of it goes on", async () => {
  const script = scriptedSession()
  const looping = pattern<object>(() => {
    sandbox().exec("left running?")
    for (;;) if (script.calls.length > 0) return {}
  })
  const sentence = "The body of this pattern has not returned within 15 s: something in it loops."
  expect(() => run(looping, {}, script)).toThrow(new Error(sentence))
  await new Promise((resolve) => setImmediate(resolve))
  expect([script.calls, [...script.sandboxes]]).toEqual([[], []])
  await using running = run(
    pattern<{ a: number }, { b: Ref<number> }>(({ a }) => ({ b: computed(() => a.get() + 1) })),
    { a: 1 },
    script,
  )
  running.inputs.a.set(2)
  expect(running.out.b.get()).toBe(3)
})

it("a pattern inside itself is an error with a sentence", () => {
  const endless: ReturnType<typeof pattern<object>> = pattern<object>(() => ({
    inner: computed(() => 1),
    [UI]: div(endless({})),
  }))
  expect(() => run(endless, {}, scriptedSession())).toThrow(/seems to be inside itself/)
})

it("a Writable that its own changes would change is an error with a sentence, and the rest goes on", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {})
  const counter = pattern<object, { count: Writable<number>; double: Ref<number> }>(() => {
    const count = Writable.of(0)
    return { count, double: computed(() => count.get() * 2) }
  })
  await using running = run(counter, {}, scriptedSession())
  const { count, double } = running.out
  const stop = running.watch(() => count.set(count.get() + 1))
  expect(logged.mock.calls.join()).toMatch(/can't be changed inside computed, watch/)
  stop()
  logged.mockRestore()
  expect(count.get()).toBe(0)
  count.set(computed(() => count.get() + 1))
  expect(() => double.get()).toThrow(/depends on itself/)
  count.set(4)
  expect(double.get()).toBe(8)
})

it("a handler that a value sends an event to would never end: it is an error with a sentence", async () => {
  const looping = pattern<object, { text: Ref<string>; count: Writable<number> }>(() => {
    const count = Writable.of(0)
    const add: Handler<void> = handler(async () => {
      await Promise.resolve()
      count.set(count.get() + 1)
    })
    const text = computed(() => {
      void add.send()
      return `${count.get()}`
    })
    return { text, count, [UI]: div(text) }
  })
  await using running = run(looping, {}, scriptedSession())
  expect(() => running.out.text.get()).toThrow(/can't be sent an event inside computed/)
  expect(running.out.count.get()).toBe(0)
})

it("a pattern without a page has an empty one", async () => {
  await using running = run(
    pattern<{ a: number }, { b: Ref<number> }>(({ a }) => ({ b: computed(() => a.get() + 1) })),
    { a: 1 },
    scriptedSession(),
  )
  expect(running.ui.snapshot()).toEqual({ name: "", tree: [], holes: {} })
  expect(running.out.b.get()).toBe(2)
})

it("a part of a page with 100,000 elements is an error in its place, and the rest goes on", async () => {
  const items = Array.from({ length: 100_000 }, (_, index) => jsx("li", { children: index }))
  const long = pattern<{ all: boolean }>(({ all }) => ({
    [UI]: div(
      () => (all.get() ? items : "few"),
      () => `all: ${all.get()}`,
    ),
  }))
  await using running = run(long, { all: false }, scriptedSession())
  running.inputs.all.set(true)
  const message =
    "This part of the page has more than 50,000 elements and texts: show fewer of them."
  expect(running.ui.snapshot().holes).toEqual({
    0: [{ error: { kind: "execution_error", message } }],
    1: ["all: true"],
  })
  running.inputs.all.set(false)
  expect(running.ui.snapshot().holes[0]).toEqual(["few"])
  const fixed = pattern<object>(() => ({ [UI]: div(items) }))
  expect(() => run(fixed, {}, scriptedSession())).toThrow(message)
})

it("100,000 computed values follow a change", async () => {
  const wide = pattern<{ by: number }, { sum: Ref<number> }>(({ by }) => {
    const all = Array.from({ length: 100_000 }, (_, index) => computed(() => index * by.get()))
    return { sum: computed(() => all.reduce((sum, one) => sum + one.get(), 0)) }
  })
  await using running = run(wide, { by: 0 }, scriptedSession())
  expect(running.out.sum.get()).toBe(0)
  running.inputs.by.set(2)
  expect(running.out.sum.get()).toBe(9_999_900_000)
})

it("a result of 50 MB is shown cut, in a text and in a property, and kept whole", async () => {
  const script = scriptedSession()
  const printing = pattern<object, { step: Async<ExecResult> }>(() => {
    const step = exec({ command: "print" })
    const text = () => step.result?.stdout
    return { step, [UI]: div(text, jsx("p", { innerHTML: text })) }
  })
  await using running = run(printing, {}, script)
  const megabyte = 1_048_576
  await script.finish("print", "m".repeat(50 * megabyte))
  const shown = `${"m".repeat(megabyte)}[... 51,380,224 characters are not shown ...]`
  expect(running.ui.snapshot().holes).toEqual({ 0: [shown], 1: shown })
  expect(running.out.step.result?.stdout.length).toBe(50 * megabyte)
})

it("C12: a command that is neither text nor a list is the error of its step, in a sentence", async () => {
  const script = scriptedSession()
  // What a pattern that nobody type-checks may say.
  const wrong = { command: "true" } as unknown as string
  const steps: Async<ExecResult>[] = []
  const misused = pattern<object>(() => {
    steps.push(exec({ command: wrong, image: "node:22" }), sandbox().exec(wrong))
    return {}
  })
  await using _running = run(misused, {}, script)
  const message = "A command is text, or a list of texts that run one after the other."
  for (const step of steps) {
    await expect(step.settled()).rejects.toMatchObject({
      message: expect.stringContaining(message),
    })
  }
  expect(script.calls).toEqual([])
})

it("C12.inputs: inputs that a step does not have or can't use are its error, in a sentence", async () => {
  const script = scriptedSession()
  const circle: Record<string, unknown> = { command: "true" }
  circle.files = circle
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ comand: "true" }, 'exec has no input "comand": it has command, image, files, stdin,'],
    [computed(() => "true"), "exec takes its inputs as an object."],
    [{ command: "true", files: "a.txt" }, "files is a list of paths."],
    [{ command: "true", timeout_ms: -1 }, "timeout_ms is a whole number of milliseconds"],
    [{ command: "true", timeout_ms: "5" }, "timeout_ms is a whole number of milliseconds"],
    [circle, "or it contains itself"],
  ]
  const steps: Async<ExecResult>[] = []
  const misused = pattern<object>(() => {
    for (const [params] of wrong) steps.push(exec(params as never))
    return {}
  })
  await using running = run(misused, {}, script)
  await running.settled()
  const messages = steps.map(({ error }) => error?.message)
  expect(messages).toEqual(wrong.map(([, message]) => expect.stringContaining(message)))
  expect(script.calls).toEqual([])
  const none = pattern<object>(() => ({ step: exec("true" as never) }))
  expect(() => run(none, {}, script)).toThrow("exec takes its inputs as an object.")
})

it("C12.inputs: a step whose inputs are chosen by a value is held while there are none", async () => {
  const script = scriptedSession()
  const choosing = pattern<{ name: string }, { step: Async<ExecResult> }>(({ name }) => ({
    step: exec(computed(() => (name.get() === "" ? undefined : { command: name.get() })) as never),
  }))
  await using running = run(choosing, { name: "" }, script)
  const { step } = running.out
  expect([step.pending, script.calls.length]).toEqual([true, 0])
  running.inputs.name.set("one")
  await script.finish("one", "1")
  expect(step.result?.stdout).toBe("1")
  running.inputs.name.set("")
  expect([step.pending, step.result, step.error]).toEqual([true, undefined, undefined])
  running.inputs.name.set("two")
  await script.finish("two", "2")
  expect(step.result?.stdout).toBe("2")
})

it("C12.inputs: a brake that is empty, zero or null holds its step, as false does", async () => {
  const script = scriptedSession()
  const brakes = [false, "", 0, null] as const
  const held = pattern<object, { steps: readonly Async<ExecResult>[] }>(() => ({
    steps: brakes.map((when) => exec({ command: "true", when: when as never })),
  }))
  await using running = run(held, {}, script)
  const states = running.out.steps.map(({ pending, result }) => ({ pending, result }))
  expect(states).toEqual(brakes.map(() => ({ pending: false, result: undefined })))
  expect(script.calls).toEqual([])
})

it("JSON from outside that is too deep for a store, a page or a memo is the error of its step", async () => {
  const script = scriptedSession()
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
  const read = pattern<
    object,
    { page: Async<unknown>; file: Async<unknown>; fits: Async<unknown> }
  >(() => ({
    page: fetchData({ url: "http://x/deep" }),
    file: readSandboxFile({ sandbox: "box", path: "deep.json", mode: "json" }),
    fits: readSandboxFile({ sandbox: "box", path: "fits.json", mode: "json" }),
  }))
  await using running = run(read, {}, script)
  await vi.waitFor(() => expect(script.open).toHaveLength(3))
  for (const call of [...script.open]) {
    const text = deep(call.input.path === "fits.json" ? 256 : 100_000)
    if (call.tool === "web.fetch") call.answer({ status: 200, text, content_type: "text/json" })
    else call.answer({ kind: "file", base64: Buffer.from(text).toString("base64") })
  }
  await running.settled()
  const { page, file, fits } = running.out
  expect([page.error?.message, file.error?.message]).toEqual([
    "It answers text/json that is nested in more than 256 levels.",
    '"deep.json" is nested in more than 256 levels.',
  ])
  expect(JSON.stringify(fits.result)).toBe(deep(256))
})
