import { tmpdir } from "node:os"
import { describe, expect, it } from "vitest"
import { idleClock, openPool } from "../../../test/support/sandbox/pool-fixture.ts"
import { systemClock } from "../../kit/index.ts"
import { localHost } from "../hosts/local/local-host.ts"
import { memoryHost } from "../hosts/memory/memory-host.ts"
import { createPool } from "./create-pool.ts"

describe("the sandboxes of a pool", () => {
  it("C1.named, C1.default: are made on first use, and the default one is called default", async () => {
    await using opened = openPool()
    const { pool, events } = opened
    expect(pool.list()).toEqual([])
    await (await pool.workspace()).exec("true")
    await (await pool.workspace("build")).exec("true")
    expect(pool.list()).toMatchObject([{ name: "default" }, { name: "build" }])
    expect(events).toMatchObject([
      { kind: "sandbox-created", sandbox: "default", image: "host" },
      { kind: "sandbox-created", sandbox: "build", image: "host" },
    ])
  })

  it("C7.created, C7.again: are created once by name; the second time it says so", async () => {
    await using opened = openPool()
    const { pool } = opened
    const wish = { name: "build", image: "host", sleepAfterMs: 60_000 }
    expect(await pool.create(wish)).toEqual({ sandbox: "build", created: true })
    expect(await pool.create(wish)).toEqual({ sandbox: "build", created: false })
    expect(pool.list()).toEqual([
      {
        name: "build",
        image: "host",
        status: "running",
        network: { kind: "none" },
        sleepAfterMs: 60_000,
        createdMs: expect.any(Number),
      },
    ])
  })

  it("C7: are not made with an image that the host does not have", async () => {
    await using opened = openPool()
    const { pool } = opened
    const refused = pool.create({ name: "build", image: "python:9" })
    await expect(refused).rejects.toMatchObject({
      kind: "invalid_args",
      field: "image",
      expected: 'one of "host"',
    })
    expect(pool.list()).toEqual([])
    expect(await pool.create({ name: "build" })).toEqual({ sandbox: "build", created: true })
    await expect(pool.create({ name: "build", image: "other" })).rejects.toMatchObject({
      message: 'The sandbox "build" exists and has the image "host".',
    })
  })

  it("O30: have a number that is limited, and a name and a time to sleep that make sense", async () => {
    await using pool = createPool(memoryHost(), { sandboxes: 2 })
    await pool.create({ name: "a" })
    await pool.create({ name: "b" })
    await expect(pool.workspace("c")).rejects.toMatchObject({
      kind: "rejected",
      message: "A session can have 2 sandboxes and has them: a, b. Destroy one first.",
    })
    await pool.destroySandbox("a")
    await pool.create({ name: "c" })
    await pool.destroySandbox("b")
    await expect(pool.create({ name: "../d" })).rejects.toMatchObject({ kind: "invalid_args" })
    for (const sleepAfterMs of [0, -1, Number.NaN, 999]) {
      await expect(pool.create({ name: "d", sleepAfterMs })).rejects.toMatchObject({
        field: "sleep_after_ms",
        expected: "at least 1000",
      })
    }
    await expect(pool.sleep("nobody")).rejects.toMatchObject({
      kind: "not_found",
      expected: "one of c",
    })
  })

  it("C18.files: share no files", async () => {
    await using opened = openPool()
    const { pool } = opened
    await (await pool.workspace("one")).writeFile("/tmp/secret", "s")
    expect(await (await pool.workspace("two")).exists("/tmp/secret")).toBe(false)
  })

  it("C18.sleep, C18.wake, C8.status: sleep when nobody uses them, and wake on use with nothing lost", async () => {
    const clock = idleClock(systemClock)
    await using opened = openPool({ clock })
    const { pool, events } = opened
    const workspace = await pool.workspace("build")
    await workspace.writeFile("kept.txt", "kept")
    await workspace.writeFile("/tmp/kept.txt", "also kept")
    const server = await workspace.processes.start("sleep 1000")

    const command = workspace.exec("sleep 0.2; echo done")
    clock.passIdleTime()
    expect((await command).stdout).toBe("done\n")
    expect(pool.list()).toMatchObject([{ status: "running" }])

    await workspace.processes.kill(server.id)
    const left = await workspace.processes.start("sleep 1000")
    expect(left.state).toEqual({ kind: "running" })
    // What runs in the background is no use, and must not keep a sandbox awake.
    clock.passIdleTime()
    await expect.poll(() => pool.list()).toMatchObject([{ status: "sleeping" }])
    await expect.poll(() => events.at(-1)).toMatchObject({ kind: "sandbox-slept" })

    expect(await workspace.readFile("kept.txt")).toBe("kept")
    expect(await workspace.readFile("/tmp/kept.txt")).toBe("also kept")
    expect(pool.list()).toMatchObject([{ status: "running" }])
    expect((await workspace.processes.status(left.id)).state).toEqual({
      kind: "gone",
      why: "The sandbox went to sleep.",
    })
    expect(events.map(({ kind }) => kind)).toEqual([
      "sandbox-created",
      "process-started",
      "process-ended",
      "process-started",
      "process-ended",
      "sandbox-slept",
      "sandbox-woke",
    ])
  })

  it("C18.wake: files that are looked at as the sandbox is told to sleep are answered", async () => {
    await using opened = openPool()
    const { pool } = opened
    const workspace = await pool.workspace("build")
    await workspace.writeFile("kept.txt", "kept")
    for (let round = 0; round < 20; round += 1) {
      const before = workspace.readFile("kept.txt")
      if (round % 2 === 1) await new Promise(setImmediate)
      const slept = pool.sleep("build")
      const after = workspace.readdir(".")
      await slept
      expect([await before, (await after).length]).toEqual(["kept", 1])
    }
  })

  it("C7.sleep, C18.sleep: sleep after the time that was said, or else after 10 minutes", async () => {
    const clock = idleClock(systemClock)
    await using pool = createPool(memoryHost(), { clock })
    await pool.create({ name: "usual" })
    await pool.create({ name: "hasty", sleepAfterMs: 60_000 })
    const asleep = () =>
      pool
        .list()
        .filter(({ status }) => status === "sleeping")
        .map(({ name }) => name)
    clock.passIdleTime(59_999)
    expect(asleep()).toEqual([])
    clock.passIdleTime(60_000)
    await expect.poll(asleep).toEqual(["hasty"])
    clock.passIdleTime(599_999)
    expect(asleep()).toEqual(["hasty"])
    clock.passIdleTime(600_000)
    await expect.poll(asleep).toEqual(["usual", "hasty"])
  })

  it("C7.sleep: stay awake where the host can't let them sleep", async () => {
    const clock = idleClock(systemClock)
    const host = memoryHost()
    await using pool = createPool({ ...host, can: { ...host.can, sleep: false } }, { clock })
    await pool.create({ name: "usual" })
    clock.passIdleTime(600_000)
    expect(pool.list()).toMatchObject([{ name: "usual", status: "running" }])
  })

  it("O30.cpu, O30.memory, O30.processes: what they use is known, or why not", async () => {
    const because = (text: string) => ({ unknown: expect.stringContaining(text) })
    await using virtual = createPool(memoryHost())
    await (await virtual.workspace()).writeFile("file", "x".repeat(10_000))
    const interpreted = because("interpreted")
    expect(await virtual.usage("default")).toMatchObject({
      ...{ cpuMs: interpreted, memoryBytes: interpreted, processes: interpreted },
      ...{ diskBytes: expect.any(Number), limits: virtual.host.can.limits },
    })
    await using local = createPool(localHost({ directoryFor: () => tmpdir() }))
    await local.workspace()
    const notTold = because("nobody tells from others")
    expect(await local.usage("default")).toMatchObject({
      ...{ cpuMs: notTold, memoryBytes: notTold, processes: notTold },
      diskBytes: because("a directory of this machine"),
    })
  })

  it("are refused once the pool is closed, and closing twice is fine", async () => {
    await using opened = openPool()
    const { pool } = opened
    const workspace = await pool.workspace()
    await pool.close()
    await pool.close()
    await expect(pool.workspace()).rejects.toMatchObject({ message: "The session is closed." })
    await expect(workspace.exec("true")).rejects.toMatchObject({ kind: "unavailable" })
  })
})
