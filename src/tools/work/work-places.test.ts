import { expect, it } from "vitest"
import { limits } from "../../contract/index.ts"
import { WorkPlaces } from "./work-places.ts"

const { signal } = new AbortController()
const { running, runningEach } = limits.work

/** Lets what was admitted take its place. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

it("C18: one owner has a few places, all together have some more, and owners take turns", async () => {
  const places = new WorkPlaces()
  const order: string[] = []
  const held: (() => void)[] = []
  const enter = (name: string, key: object) =>
    places.enter(key, signal).then((release) => {
      order.push(name)
      held.push(release)
    })
  const greedy = {}
  for (let index = 0; index < 20; index += 1) void enter("greedy", greedy)
  await settle()
  expect(order).toHaveLength(runningEach)
  const others = Array.from({ length: running }, (_, index) => ({ name: `other ${index}` }))
  for (const other of others) void enter(other.name, other)
  await settle()
  expect(order).toHaveLength(running)
  // Each place that is given back goes to who waits and has none, before it goes to the greedy one.
  order.length = 0
  while (order.length < runningEach) {
    held.shift()?.()
    await settle()
  }
  expect(order).not.toContain("greedy")
  while (held.length > 0) {
    held.shift()?.()
    await settle()
  }
  expect(order.filter((name) => name === "greedy")).toHaveLength(20 - runningEach)
})

it("C18: who gives up while waiting is forgotten, and takes nobody's place", async () => {
  const places = new WorkPlaces()
  const key = {}
  const held = await Promise.all(
    Array.from({ length: runningEach }, () => places.enter(key, signal)),
  )
  const gone = new AbortController()
  const waiting = places.enter(key, gone.signal)
  gone.abort(new Error("no more"))
  await expect(waiting).rejects.toThrow("no more")
  const next = places.enter(key, signal)
  held[0]?.()
  const release = await next
  release()
})
