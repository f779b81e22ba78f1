import { expect, it } from "vitest"
import { openPool } from "../../../test/support/sandbox/pool-fixture.ts"
import { createDispatch, createStream } from "../../contract/index.ts"

const run = (cmd: string) => ({ kind: "command.run", cmd }) as const

it("R10.fifo: within one stream everything happens in the order it was submitted, failures too", async () => {
  await using opened = openPool()
  const stream = createStream(createDispatch(await opened.pool.workspace()))
  const slow = stream.submit(run("sleep 0.2; echo a >> log"))
  const failed = stream.submit({
    kind: "files.read",
    path: "/home/user/none",
  })
  const quick = stream.submit(run("echo b >> log"))
  const read = stream.submit({ kind: "files.exists", path: "/home/user/log" })
  await expect(failed).rejects.toMatchObject({ code: "not-found" })
  expect(await read).toBe(true)
  expect(await slow).toMatchObject({ exit_code: 0 })
  expect(await quick).toMatchObject({ exit_code: 0 })
  const workspace = await opened.pool.workspace()
  expect(await workspace.readFile("log")).toBe("a\nb\n")
})

it("R10.concurrent, R10.events: several streams go on at the same time, and wait for each other where an event says so", async () => {
  await using opened = openPool()
  const dispatch = createDispatch(await opened.pool.workspace())
  const [one, two] = [createStream(dispatch), createStream(dispatch)]
  // Each waits for a file that only the other makes: one after the other they would never end.
  await Promise.all([
    one.submit(run("touch one; until [[ -e two ]]; do sleep 0.01; done")),
    two.submit(run("touch two; until [[ -e one ]]; do sleep 0.01; done")),
  ])

  one.submit(run("sleep 0.3; echo first >> order"))
  const recorded = one.record()
  const notAwaited = one.submit(
    run("until grep -q second order; do sleep 0.01; done; echo third >> order"),
  )
  two.wait(recorded)
  await two.submit(run("echo second >> order"))
  await notAwaited
  const workspace = await opened.pool.workspace()
  expect(await workspace.readFile("order")).toBe("first\nsecond\nthird\n")
})

it("R10: who gives up does not wait for the turn, and what was queued is never done", async () => {
  await using opened = openPool()
  const stream = createStream(createDispatch(await opened.pool.workspace()))
  const before = stream.submit(run("sleep 0.3"))
  const stop = new AbortController()
  const queued = stream.submit(run("touch never"), { signal: stop.signal })
  stop.abort(new Error("changed my mind"))
  await expect(queued).rejects.toThrow("changed my mind")
  await before
  const exists = await stream.submit({
    kind: "files.exists",
    path: "/home/user/never",
  })
  expect(exists).toBe(false)
})
