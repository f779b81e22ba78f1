import { expect, it } from "vitest"
import { workLimits } from "../limits.ts"
import { type Worker, WorkPlaces } from "./work-places.ts"

const { signal } = new AbortController()
const { running, runningEach } = workLimits

/** Lets what was admitted take its place. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

it("C18: one owner has a few places, all together have some more, and owners take turns", async () => {
  const places = new WorkPlaces()
  const order: string[] = []
  const held: (() => void)[] = []
  const enter = (name: string, key: Worker) =>
    places.enter(key, signal).then((release) => {
      order.push(name)
      held.push(release)
    })
  const greedy = { owner: "greedy" }
  for (let index = 0; index < 20; index += 1) void enter("greedy", greedy)
  await settle()
  expect(order).toHaveLength(runningEach)
  const others = Array.from({ length: running }, (_, index) => ({ owner: `other ${index}` }))
  for (const other of others) void enter(other.owner, other)
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

it("C18: an owner with many sessions leaves places to others, and has them in turns among its sessions", async () => {
  const places = new WorkPlaces()
  const order: string[] = []
  const held: (() => void)[] = []
  const enter = async (name: string, worker: Worker) => {
    const release = await places.enter(worker, signal)
    order.push(name)
    held.push(release)
  }
  const sessions = Array.from({ length: running * 2 }, () => ({ owner: "greedy" }))
  for (let round = 0; round < runningEach * 2; round += 1) {
    sessions.forEach((session, index) => void enter(`greedy ${index}`, session))
  }
  await settle()
  expect(order).toEqual(sessions.slice(0, running / 2).map((_, index) => `greedy ${index}`))
  // Also the second and the third to come need not wait.
  for (const owner of ["second", "third"]) {
    void enter(owner, { owner })
    await settle()
    expect(order.at(-1)).toBe(owner)
  }
  while (held.length > 0) {
    held.shift()?.()
    await settle()
  }
  const most = running / 2
  expect(new Set(order.filter((name) => name.startsWith("greedy")).slice(most, most * 2))).toEqual(
    new Set(sessions.slice(most, most * 2).map((_, index) => `greedy ${index + most}`)),
  )
  expect(order).toHaveLength(sessions.length * runningEach * 2 + 2)
})

it("C18: who gives up while waiting is forgotten, and takes nobody's place", async () => {
  const places = new WorkPlaces()
  const key = { owner: "one" }
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
