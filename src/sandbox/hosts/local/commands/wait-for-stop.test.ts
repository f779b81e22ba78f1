import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { heldClock } from "../../../../../test/support/held-clock.ts"
import { manualClock } from "../../../../../test/support/manual-clock.ts"
import {
  isWritten,
  markOf,
  openLocal,
  processesWith,
  timed,
  until,
} from "../../../../../test/support/sandbox/local-fixture.ts"
import { linuxProcessTable } from "./process-table.ts"

describe.concurrent("timeouts", () => {
  it("F11.timeout, F18.timeout, Y12: ends a command at its deadline, with exit 124 and what it wrote", async () => {
    const clock = heldClock()
    await using local = await openLocal({ clock })
    const seen = new Set<string>()
    const { result, ms } = await timed(
      local.workspace.exec("echo before; echo warning >&2; sleep 1000; echo after", {
        timeoutMs: 200,
        onOutput({ stream }) {
          seen.add(stream)
          if (seen.size === 2) clock.start()
        },
      }),
    )
    expect(result).toMatchObject({
      exitCode: 124,
      stdout: "before\n",
      stderr: "warning\n",
      ending: { kind: "timed-out", afterMs: 200 },
    })
    expect(ms).toBeGreaterThanOrEqual(200)
  })

  it("O29.term: what a command says when it is asked to end is kept", async () => {
    const clock = heldClock()
    await using local = await openLocal({ clock })
    const script = "trap 'echo cleaning up; exit 0' TERM; echo ready; while :; do sleep 0.02; done"
    const options = { timeoutMs: 300, onOutput: () => clock.start() }
    const { stdout, exitCode } = await local.workspace.exec(script, options)
    expect([stdout, exitCode]).toEqual(["ready\ncleaning up\n", 124])
  })

  it("O29.term, O29.kill: a command that ignores SIGTERM, and its children, die by SIGKILL 3 s later", async () => {
    const clock = heldClock()
    await using local = await openLocal({ clock })
    const mark = await markOf(local.workspace)
    const script =
      "trap '' TERM; (trap '' TERM; sleep 500; sleep 500) & setsid bash -c \"trap '' TERM; sleep 500; sleep 500\" & sleep 500; sleep 500"
    const running = timed(local.workspace.exec(script, { timeoutMs: 300 }))
    await until(() => processesWith(mark).filter((one) => one === "sleep 500").length === 3)
    clock.start()
    const { result, ms } = await running
    expect(processesWith(mark)).toEqual([])
    expect(result.ending).toEqual({ kind: "timed-out", afterMs: 300 })
    expect(ms).toBeGreaterThanOrEqual(3_300)
  })

  it("O29.group: ends grandchildren, escaped children and children without the mark in the group", async () => {
    const clock = heldClock()
    await using local = await openLocal({ clock })
    const mark = await markOf(local.workspace)
    const script = `
      bash -c 'bash -c "sleep 111"' &
      setsid bash -c 'sleep 112; true' &
      setsid setsid sleep 113 > /dev/null 2>&1 < /dev/null &
      env -i sleep 114 & echo $! > unmarked
      wait`
    const running = local.workspace.exec(script, { timeoutMs: 400 })
    await until(
      () => processesWith(mark).filter((command) => command.startsWith("sleep")).length >= 3,
    )
    await until(() => isWritten(local, "unmarked"))
    clock.start()
    expect((await running).exitCode).toBe(124)
    expect(processesWith(mark)).toEqual([])
    const unmarked = Number(await readFile(join(local.directory, "unmarked"), "utf8"))
    expect(linuxProcessTable("/proc").living([unmarked])).toEqual([])
  })

  it("O29: leaves the background children of other commands alone", async () => {
    await using local = await openLocal()
    await local.workspace.exec("sleep 121 > /dev/null 2>&1 &")
    await local.workspace.exec("sleep 122", { timeoutMs: 50 })
    const mark = await markOf(local.workspace)
    // A child is its shell until it becomes the program.
    await until(() => processesWith(mark).join() === "sleep 121")
  })

  it("F8: a deadline beyond what a timer can count is not a deadline at once", async () => {
    await using local = await openLocal()
    const options = { timeoutMs: 2 ** 31 + 1_000, idleTimeoutMs: 2 ** 40 }
    const { exitCode, ending } = await local.workspace.exec("sleep 0.1; exit 5", options)
    expect([exitCode, ending]).toEqual([5, { kind: "exited" }])
  })

  it("O24.idle: the idle timeout is reset by every byte on either stream", async () => {
    const clock = manualClock()
    await using local = await openLocal({ clock })
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const told = writable.getWriter()
    let seen = ""
    let ended: unknown = null
    const script = "printf .; while read -r to; do printf . >&$to; done; sleep 100"
    const running = local.workspace.exec(script, {
      stdin: readable,
      idleTimeoutMs: 500,
      onOutput: ({ bytes }) => {
        seen += Buffer.from(bytes)
      },
    })
    running.then((result) => (ended = result))
    for (const [index, stream] of [2, 1, 2, 1, 2, 1, 2].entries()) {
      await until(() => seen.length > index)
      clock.advance(499)
      await told.write(new TextEncoder().encode(`${stream}\n`))
    }
    await until(() => seen.length === 8)
    expect(ended).toBe(null)
    clock.advance(500)
    // It is also given time to end.
    await until(() => {
      clock.advance(10)
      return ended !== null
    })
    expect(await running).toMatchObject({
      exitCode: 124,
      stdout: "....",
      stderr: "....",
      ending: { kind: "idle", afterMs: 500 },
    })
  })
})

describe.concurrent("abort", () => {
  it("F11: an aborted signal starts nothing and rejects with its reason", async () => {
    await using local = await openLocal()
    const reason = new Error("too late")
    const running = local.workspace.exec("echo > started", { signal: AbortSignal.abort(reason) })
    await expect(running).rejects.toBe(reason)
    expect(await isWritten(local, "started")).toBe(false)
    const direct = local.sandbox.perform<"file.stat">(
      { kind: "file.stat", path: local.directory },
      { signal: AbortSignal.abort(reason), onOutput: () => {} },
    )
    await expect(direct).rejects.toBe(reason)
  })

  it("F11.signal, F18.abort, Y12: aborting ends the command and everything of it, then rejects with the reason", async () => {
    await using local = await openLocal()
    const mark = await markOf(local.workspace)
    const controller = new AbortController()
    const running = local.workspace.exec("setsid sleep 171 & sleep 172 & echo > started; wait", {
      signal: controller.signal,
    })
    running.catch(() => {})
    await until(() => isWritten(local, "started"))
    const reason = { why: "the caller gave up" }
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
    expect(processesWith(mark)).toEqual([])
  })

  it("F11: aborting while the output drains ends what is left of the command", async () => {
    await using local = await openLocal()
    const mark = await markOf(local.workspace)
    const controller = new AbortController()
    const running = local.workspace.exec("sleep 181 & echo hi", {
      signal: controller.signal,
      onOutput: () => setTimeout(() => controller.abort("enough"), 50),
    })
    await expect(running).rejects.toBe("enough")
    expect(processesWith(mark)).toEqual([])
  })

  it("F11: aborting after the end changes nothing", async () => {
    await using local = await openLocal()
    const controller = new AbortController()
    const { exitCode } = await local.workspace.exec("exit 7", { signal: controller.signal })
    controller.abort()
    expect(exitCode).toBe(7)
    expect((await local.workspace.exec("exit 8")).exitCode).toBe(8)
  })

  it("F11: aborting a command that is already being ended rejects with the reason", async () => {
    const clock = heldClock()
    await using local = await openLocal({ clock })
    const controller = new AbortController()
    const script =
      "trap 'echo asked; sleep 0.3; exit 0' TERM; echo ready; while :; do sleep 0.01; done"
    const running = local.workspace.exec(script, {
      timeoutMs: 200,
      signal: controller.signal,
      onOutput({ bytes }) {
        if (Buffer.from(bytes).includes("ready")) clock.start()
        if (Buffer.from(bytes).includes("asked")) controller.abort("too late")
      },
    })
    await expect(running).rejects.toBe("too late")
  })
})

/** Alone, because it holds everyone up. */
it("F18: a command that was done in time has not timed out because this process was busy", async () => {
  const clock = heldClock()
  await using local = await openLocal({ clock })
  const running = local.workspace.exec("echo > started; sleep 0.1; echo done", {
    timeoutMs: 600,
    idleTimeoutMs: 500,
  })
  await until(() => isWritten(local, "started"))
  clock.start()
  const blockedUntil = performance.now() + 1_000
  while (performance.now() < blockedUntil);
  expect(await running).toMatchObject({ exitCode: 0, stdout: "done\n", ending: { kind: "exited" } })
})
