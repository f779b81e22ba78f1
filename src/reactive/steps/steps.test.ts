import { describe, expect, it } from "vitest"
import { scriptedSession } from "../../../test/support/reactive/scripted-session.ts"
import {
  type Async,
  type AsyncExec,
  computed,
  type ExecResult,
  exec,
  fetchData,
  handler,
  pattern,
  type Ref,
  run,
  sh,
  Writable,
} from "../index.ts"

/** One command that depends on an input. */
const single = pattern<{ code: string }, { step: Async<ExecResult>; shown: { get(): string } }>(
  ({ code }) => {
    const step = exec({ command: computed(() => `run ${code.get()}`) })
    return { step, shown: computed(() => `${code.get()}: ${step.result?.stdout ?? "…"}`) }
  },
)

describe("a step", () => {
  it("C12.state, C12.inputs, C13.command, C13.result: is pending, then has its result; an exit code is one", async () => {
    const script = scriptedSession()
    await using running = run(single, { code: "a" }, script)
    const { step } = running.out
    expect([step.pending, step.result, step.error]).toEqual([true, undefined, undefined])
    await script.finish("run a", "A", 3)
    expect(step.pending).toBe(false)
    expect(step.result).toEqual({ stdout: "A", stderr: "", exit_code: 3 })
    expect(await step.settled()).toEqual({ stdout: "A", stderr: "", exit_code: 3 })
    expect(script.sandboxes.size).toBe(0)
  })

  it("C12.change: runs again when an input changes, ends the run of the old one, and only the wanted run writes", async () => {
    const script = scriptedSession()
    await using running = run(single, { code: "a" }, script)
    const { step, shown } = running.out
    const seen: string[] = []
    running.watch(() => seen.push(shown.get()))
    const first = await script.command("run a")
    running.inputs.code.set("b")
    expect(first.signal.aborted).toBe(true)
    await script.finish("run b", "B")
    first.answer({ kind: "command", stdout: "late", stderr: "", exit_code: 0 })
    expect(step.result?.stdout).toBe("B")
    running.inputs.code.set("c")
    expect([step.pending, step.result, step.latest?.stdout]).toEqual([true, undefined, "B"])
    await script.finish("run c", "C")
    // No reader ever had an input beside the result of another one.
    expect(seen).toEqual(["a: …", "b: …", "b: B", "c: …", "c: C"])
  })

  it("inputs that change and come back have their result at once; refresh runs again; failures are not kept", async () => {
    const script = scriptedSession()
    await using running = run(single, { code: "a" }, script)
    const { step } = running.out
    const pending: boolean[] = []
    running.watch(() => pending.push(step.pending))
    await script.finish("run a", "A")
    running.inputs.code.set("b")
    ;(await script.command("run b")).fail("rejected", "Not allowed.")
    await expect(step.settled()).rejects.toThrow('exec "run b": Not allowed.')
    expect(step.error).toEqual({ kind: "rejected", message: "Not allowed.", step: 'exec "run b"' })
    running.inputs.code.set("a")
    expect(step.result?.stdout).toBe("A")
    expect(pending).toEqual([true, false, true, false])
    running.inputs.code.set("b")
    await script.finish("run b", "B")
    expect(script.calls.map(({ input }) => input.command)).toEqual(["run a", "run b", "run b"])
    step.refresh()
    expect([step.pending, step.result, step.latest?.stdout]).toEqual([true, undefined, "B"])
    await script.finish("run b", "B2")
    expect(step.result?.stdout).toBe("B2")
  })

  it("equal steps are one run with two readers; the last one to leave ends it", async () => {
    const script = scriptedSession()
    const twice = pattern<{ on: boolean }, { one: Async<ExecResult>; two: Async<ExecResult> }>(
      ({ on }) => ({
        one: exec({ command: "same", image: "x" }),
        two: exec({ image: "x", command: "same", when: on }),
      }),
    )
    await using running = run(twice, { on: true }, script)
    const call = await script.command("same")
    running.inputs.on.set(false)
    expect(call.signal.aborted).toBe(false)
    expect([running.out.two.pending, running.out.two.result]).toEqual([false, undefined])
    await script.finish("same", "once")
    running.inputs.on.set(true)
    expect(running.out.two.result).toEqual(running.out.one.result)
    expect(script.calls).toHaveLength(1)
  })

  it("C13.command: a sequence runs in one sandbox and stops at the first that fails", async () => {
    const script = scriptedSession()
    const build = pattern<{ flag: string }, { step: Async<ExecResult> }>(({ flag }) => ({
      step: exec({
        command: ["one", computed(() => `two ${flag.get()}`), "three"],
        stdin: "in",
        timeout_ms: 60_000,
      }),
    }))
    await using running = run(build, { flag: "-x" }, script)
    await script.finish("one", "1;")
    await script.finish("two -x", "2;", 7)
    expect(running.out.step.result).toEqual({
      ...{ stdout: "1;2;", stderr: "", exit_code: 7 },
      failed_step: { index: 1, command: "two -x" },
    })
    expect(new Set(script.calls.map(({ input }) => input.sandbox)).size).toBe(1)
    expect(script.calls.map(({ input }) => input.stdin)).toEqual(["in", undefined])
  })

  it("the 1,000 results that were left last are kept, and no more", async () => {
    const script = scriptedSession()
    await using running = run(single, { code: "0" }, script)
    for (let index = 0; index <= 1_001; index += 1) {
      running.inputs.code.set(`${index}`)
      await script.finish(`run ${index}`, `${index}`)
    }
    expect(script.calls).toHaveLength(1_002)
    running.inputs.code.set("1")
    expect(running.out.step.result?.stdout).toBe("1")
    running.inputs.code.set("0")
    expect(running.out.step.result).toBe(undefined)
    await script.finish("run 0", "again")
    expect(script.calls).toHaveLength(1_003)
  })

  it("what a command prints can be read while it runs, at most its end, and stays with its result", async () => {
    const script = scriptedSession()
    const shown = pattern<{ code: string }, { step: AsyncExec; tail: Ref<string> }>(({ code }) => {
      const step = exec({ command: code })
      return { step, tail: computed(() => step.output.slice(-3)) }
    })
    await using running = run(shown, { code: "a" }, script)
    const { step, tail } = running.out
    const seen: string[] = []
    running.watch(() => seen.push(tail.get()))
    const first = await script.command("a")
    for (let index = 0; index < 1000; index += 1) first.print("1")
    first.print("e\n", "stderr")
    await expect.poll(() => tail.get()).toBe("1e\n")
    // A thousand prints in one moment were one change.
    expect(seen).toEqual(["", "1e\n"])
    expect(step.pending).toBe(true)
    first.print("x".repeat(200_000))
    await script.finish("a")
    expect(step.result).toEqual({
      stdout: `${"1".repeat(1000)}${"x".repeat(200_000)}`,
      ...{ stderr: "e\n", exit_code: 0 },
    })
    expect(step.output).toBe(`[... 135466 characters left out ...]\n${"x".repeat(65_536)}`)
    running.inputs.code.set("b")
    expect([step.output, step.pending]).toEqual(["", true])
    first.print("late")
    const second = await script.command("b")
    second.print("\u{1f600}".repeat(10))
    await script.finish("b")
    running.inputs.code.set("a")
    expect(step.output.length).toBeGreaterThan(65_536)
    running.inputs.code.set("b")
    expect(step.output).toBe("\u{1f600}".repeat(10))
  })

  it("a result of 50 MB is whole, and a longer one says how much of it is left out", async () => {
    const script = scriptedSession()
    await using running = run(single, { code: "a" }, script)
    const megabyte = "m".repeat(1_048_576)
    const call = await script.command("run a")
    for (let index = 0; index < 50; index += 1) call.print(megabyte)
    await script.finish("run a", "its ends")
    const { step } = running.out
    expect(step.result?.stdout.length).toBe(50 * 1_048_576)
    expect(step.result?.truncated).toBe(undefined)
    running.inputs.code.set("b")
    const longer = await script.command("run b")
    for (let index = 0; index < 70; index += 1) longer.print(megabyte)
    await script.finish("run b", "its ends")
    const { stdout, truncated } = await step.settled()
    expect(truncated).toEqual({ stdout: 6 * 1_048_576, stderr: 0 })
    expect(stdout).toContain("[... 6291456 bytes left out ...]")
    running.inputs.code.set("c")
    await script.finish("run c", "head\n[... 7 bytes left out ...]\ntail")
    // A host that tells output only at the end.
    expect(step.result?.truncated).toEqual({ stdout: 7, stderr: 0 })
  })

  it("sh quotes each value, so that code is one word, and has no command without one of them", () => {
    const code = Writable.of("print('new'); $(x)")
    expect(sh`python3 -c ${code} ${3} end`.get()).toBe(
      `python3 -c 'print('\\''new'\\''); $(x)' '3' end`,
    )
    const name = Writable.of<{ first?: string }>({})
    const command = sh`rm -r ${computed(() => name.get().first)}/tmp`
    expect(command.get()).toBe(undefined)
    name.update({ first: "a b" })
    expect(command.get()).toBe("rm -r 'a b'/tmp")
  })
})

describe("stages", () => {
  const stages = pattern<
    { url: string },
    { first: Async<string>; second: Async<ExecResult>; third: Async<ExecResult> }
  >(({ url }) => {
    const first = fetchData<string>({ url, mode: "text" })
    const second = exec({
      command: computed(() => (first.result ? `count ${first.result}` : "echo 'waiting'")),
    })
    const third = exec({ command: computed(() => `draw ${second.result?.stdout.trim()}`) })
    return { first, second, third }
  })
  const page = { kind: "page", status: 200, status_text: "OK", content_type: "text/csv" }

  it("C17.waits, C17.plain, C12.compose: one waits for what it reads, and no placeholder is run", async () => {
    const script = scriptedSession()
    await using running = run(stages, { url: "http://x/a" }, script)
    const { first, second, third } = running.out
    expect([first.pending, second.pending, third.pending]).toEqual([true, true, true])
    ;(await script.command("http://x/a")).answer({ ...page, text: "data", truncated: false })
    await script.finish("count data", "2\n")
    await script.finish("draw 2", "svg")
    await running.settled()
    expect(third.result?.stdout).toBe("svg")
    expect(script.calls).toHaveLength(3)
    running.inputs.url.set("http://x/b")
    expect([second.pending, second.result, third.pending]).toEqual([true, undefined, true])
    const again = await script.command("http://x/b")
    again.answer({ ...page, status: 404, status_text: "Not Found", text: "", truncated: false })
    const failed = await second.settled().catch((error: unknown) => error)
    expect(failed).toMatchObject({ kind: "not_found" })
    const error = { kind: "not_found", message: "404 Not Found", step: 'fetchData "http://x/b"' }
    expect([first.error, second.error, third.error]).toEqual([error, error, error])
    expect(third.pending).toBe(false)
    expect(script.calls).toHaveLength(4)
    running.inputs.url.set("http://x/a")
    expect([first.result, third.error, third.result?.stdout]).toEqual(["data", undefined, "svg"])
    expect(script.calls).toHaveLength(4)
  })

  it("steps that wait for each other are an error with a sentence", async () => {
    const circle = pattern<object, { one: Async<ExecResult>; two: Async<ExecResult> }>(() => {
      const one = exec({ command: computed((): string => `a ${two.result?.stdout}`) })
      const two = exec({ command: computed((): string => `b ${one.result?.stdout}`) })
      return { one, two }
    })
    const script = scriptedSession()
    await using running = run(circle, {}, script)
    expect(running.out.one.error?.message).toMatch(/depends on itself/)
    expect(script.calls).toEqual([])
  })

  it("1,000 steps at once stay within their places, in their order, and none sees half an update", async () => {
    const script = scriptedSession()
    const many = pattern<{ left: number; right: number }, { steps: Async<ExecResult>[] }>(
      ({ left, right }) => ({
        steps: Array.from({ length: 1000 }, (_, index) =>
          exec({ command: computed(() => `${index} ${left.get()}-${right.get()}`) }),
        ),
      }),
    )
    await using running = run(many, { left: 0, right: 0 }, script)
    await script.command("0 0-0")
    const change = handler<number>((value) => {
      running.inputs.left.set(value)
      running.inputs.right.set(value)
    })
    await change.send(1)
    for (let index = 0; index < 1000; index += 1) await script.finish(`${index} 1-1`, `${index}`)
    expect(running.out.steps.map((step) => step.result?.stdout)).toEqual(
      Array.from({ length: 1000 }, (_, index) => `${index}`),
    )
    expect(script.most()).toBe(8)
    const halves = script.calls.filter(({ input }) => /0-1|1-0/.test(String(input.command)))
    expect(halves).toEqual([])
  })
})
