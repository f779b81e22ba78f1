import { expect, it } from "vitest"
import { scriptedSession } from "../../../test/support/reactive/scripted-session.ts"
import { handler, jsx, pattern, run, UI, Writable } from "../../reactive/index.ts"
import type { ServerEvent } from "../events/server-event.ts"
import { PatternPage } from "./pattern-page.ts"

function pageOf(problems: string[]): PatternPage {
  return new PatternPage({
    ...{ address: "page", file: "page.tsx", session: "dev" },
    problemOf: (error) => ({ message: String(Object(error).message ?? error) }),
    onProblem: ({ message }) => problems.push(message),
  })
}

/** The whole page as a browser gets it first. */
async function shownOf(page: PatternPage): Promise<unknown> {
  const watching = page.watch(null, new AbortController().signal)
  for await (const sent of watching) return (sent as ServerEvent).data
  return null
}

it("C20: a property of an element may have any name, also one that tells of errors and holes", async () => {
  const names = ["error", "hole", "tag", "handler", "holes", "problem", "__proto__"]
  const props = Object.fromEntries(names.map((name) => [name, `a ${name}`]))
  const text = Writable.of("x")
  const odd = pattern<object>(() => ({
    [UI]: jsx("div", {
      ...props,
      children: [() => jsx("p", { ...props, children: [text.get()] }), jsx("b", { ...props })],
    }),
  }))
  const problems: string[] = []
  const page = pageOf(problems)
  await using running = run(odd, {}, scriptedSession())
  page.show(running.ui)
  expect(await shownOf(page)).toEqual({
    ...{ name: "", problem: null },
    tree: [{ tag: "div", props, children: [{ hole: 0 }, { tag: "b", props, children: [] }] }],
    holes: { 0: [{ tag: "p", props, children: ["x"] }] },
  })
  expect(problems).toEqual([])
})

it("C20: what throws is told once, with its place, and long texts are cut", async () => {
  const count = Writable.of(0)
  const wrong = pattern<object>(() => ({
    [UI]: jsx("div", {
      title: "y".repeat(600_000),
      onclick: handler(() => {
        throw new Error("z".repeat(300_000))
      }),
      children: [
        () => {
          if (count.get() >= 0) throw new Error("Not today.")
        },
        "x".repeat(600_000),
      ],
    }),
  }))
  const problems: string[] = []
  const page = pageOf(problems)
  await using running = run(wrong, {}, scriptedSession())
  page.show(running.ui)
  expect(await shownOf(page)).toMatchObject({
    tree: [
      {
        props: {
          title: expect.stringMatching(
            /^y{448576}\[\.\.\. 151,424 characters are not shown \.\.\.]$/,
          ),
        },
        children: [{ hole: 0 }, "x".repeat(600_000)],
      },
    ],
    holes: { 0: [{ error: { kind: "execution_error", message: "Not today." } }] },
  })
  expect(problems).toEqual(["Not today."])
  const cutMessage = expect.stringMatching(
    /^z{65536}\[\.\.\. 234,464 characters are not shown \.\.\.]$/,
  )
  expect((await page.send("h1", {})).problem).toEqual({ message: cutMessage })
  page.fail({ message: "z".repeat(300_000), frame: "z".repeat(300_000) })
  expect(await shownOf(page)).toMatchObject({
    problem: { message: cutMessage, frame: cutMessage },
  })
  expect(problems).toEqual(["Not today.", cutMessage])
})
