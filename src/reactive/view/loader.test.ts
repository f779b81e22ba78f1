import { expect, it } from "vitest"
import { scriptedSession } from "../../../test/support/reactive/scripted-session.ts"
import { type Async, computed, type ExecResult, exec, jsx, pattern, run, sh, UI } from "../index.ts"

const loader = () => jsx("ct-loader", { "show-stop": true })

/** The numbers of the handlers of the stop buttons, hole by hole. */
function stops(holes: Readonly<Record<number, unknown>>): readonly (string | null)[] {
  return Object.values(holes).map(
    (hole) => /"onstop":\{"handler":"(\w+)"/.exec(JSON.stringify(hole))?.[1] ?? null,
  )
}

type Steps = Readonly<Record<"one" | "two" | "after", Async<ExecResult>>>

it("X11.elements: Stop of ct-loader ends what its expression was computed from, and nothing else", async () => {
  const script = scriptedSession()
  const busy = pattern<object, Steps>(() => {
    const one = exec({ command: "one" })
    const two = exec({ command: "two" })
    const after = exec({ command: sh`after ${computed(() => one.result?.stdout)}` })
    const isBusy = computed(() => computed(() => after.pending).get())
    const parts = [() => isBusy.get() && loader(), () => two.pending && loader(), loader()]
    return { one, two, after, [UI]: jsx("div", { children: parts }) }
  })
  await using running = run(busy, {}, script)
  const { one, two, after } = running.out
  await script.command("one")
  await script.command("two")
  const { holes } = running.ui.snapshot()
  const [stopAfter, stopTwo, stopNothing] = stops(holes)
  expect(stopNothing).toBe(null)
  // It waits for the first, which is what runs.
  await running.ui.send(stopAfter ?? "", {})
  const stopped = { kind: "user_denied", step: 'exec "one"' }
  expect([one.error, after.error]).toMatchObject([stopped, stopped])
  expect([two.pending, stops(running.ui.snapshot().holes)]).toEqual([true, [null, stopTwo, null]])
  await running.ui.send(stopTwo ?? "", {})
  expect(two.error).toMatchObject({ kind: "user_denied", step: 'exec "two"' })
  expect(script.calls.map(({ signal }) => signal.aborted)).toEqual([true, true])
})

it("X11.elements: of two loaders in one expression, each ends its own step", async () => {
  const script = scriptedSession()
  const busy = pattern<object, Pick<Steps, "one" | "two">>(() => {
    const one = exec({ command: "one" })
    const two = exec({ command: "two" })
    const rows = () =>
      [one, two].map((step) => jsx("p", { children: () => step.pending && loader() }))
    return { one, two, [UI]: jsx("div", { children: rows }) }
  })
  await using running = run(busy, {}, script)
  await script.command("two")
  const [, handler = ""] =
    /.*"onstop":\{"handler":"(\w+)"/.exec(JSON.stringify(running.ui.snapshot())) ?? []
  await running.ui.send(handler, {})
  expect(running.out.two.error).toMatchObject({ kind: "user_denied" })
  expect(running.out.one.pending).toBe(true)
})
