import { execFile } from "node:child_process"
import { getEventListeners } from "node:events"
import { promisify } from "node:util"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Workspace } from "../../../contract/index.ts"
import type { Sandbox } from "../../host/host.ts"
import { createWorkspace } from "../../workspace/create-workspace.ts"
import { memoryHost } from "./memory-host.ts"

const busy = "while true; do :; done"
let sandbox: Sandbox
let workspace: Workspace

let tests = 0

beforeAll(async () => {
  sandbox = await memoryHost().create({ name: "default" })
})

/** A directory of its own for each test. */
beforeEach(async () => {
  tests += 1
  const directory = `/home/user/test-${tests}`
  await createWorkspace(sandbox).exec(["mkdir", directory])
  workspace = createWorkspace(sandbox, { cwd: directory })
})

afterAll(() => sandbox.destroy())

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe("a deadline", () => {
  it("F8, F9, Y12: ends a busy loop and keeps its files and its output", async () => {
    const script = `echo kept > kept; echo shown; echo err >&2; ${busy}`
    // A busy machine may need a longer deadline to get to the loop.
    let timeoutMs = 125
    const runScript = async () => {
      timeoutMs *= 2
      await workspace.exec("rm -f kept")
      const { exitCode, ending, stdout, stderr } = await workspace.exec(script, { timeoutMs })
      expect([exitCode, ending]).toEqual([124, { kind: "timed-out", afterMs: timeoutMs }])
      const kept = await workspace.readFile("kept").catch(() => null)
      return { stdout, stderr, kept }
    }
    await expect.poll(runScript).toEqual({ stdout: "shown\n", stderr: "err\n", kept: "kept\n" })
  })

  it.each([
    ["sleeps", "echo a; sleep 1000000"],
    ["sleeps in a pipeline", "echo a; sleep 1000000 | cat"],
    ["loops inside a function inside a subshell", "f() { (echo a; while :; do :; done); }; f"],
    [
      "reads and writes files without end",
      "echo a; while :; do echo x > f; cat f > /dev/null; done",
    ],
    ["is stuck inside a single command", "echo a; seq 1 1000000000 > /dev/null"],
  ])("Y12: ends a script that %s", async (_what, script) => {
    await workspace.exec("true")
    const result = await workspace.exec(script, { timeoutMs: 150 })
    expect([result.exitCode, result.ending]).toEqual([124, { kind: "timed-out", afterMs: 150 }])
    expect(["a\n", ""]).toContain(result.stdout)
    expect((await workspace.exec("echo next")).stdout).toBe("next\n")
  })

  it("F8: further away than a timer can count does not fire at once", async () => {
    const result = await workspace.exec("sleep 0.05; echo done", { timeoutMs: 2 ** 40 })
    expect([result.stdout, result.ending]).toEqual(["done\n", { kind: "exited" }])
  })

  it("F8: does not run while its thread is being started", async () => {
    const endColdStart = async () => {
      const cold = await memoryHost().create({ name: "cold" })
      const started = performance.now()
      const { ending } = await createWorkspace(cold).exec(":", { timeoutMs: 150 })
      const ms = performance.now() - started
      await cold.destroy()
      // Otherwise this proves nothing.
      expect(ms).toBeGreaterThan(150)
      return ending
    }
    // On a busy machine the command itself may take that long; no start is ever as fast.
    await expect.poll(endColdStart).toEqual({ kind: "exited" })
  })

  it("F8: passes for a command that is still waiting for its turn", async () => {
    const single = await memoryHost({ threads: 1 }).create({ name: "single" })
    const crowded = createWorkspace(single)
    const first = crowded.exec(busy).catch(() => null)
    const second = await crowded.exec("echo never > never", { timeoutMs: 100 })
    expect([second.exitCode, second.ending]).toEqual([124, { kind: "timed-out", afterMs: 100 }])
    expect(await crowded.exists("never")).toBe(false)
    await single.destroy()
    await first
  })

  it("Y12: of the timeout command ends a busy loop too, and the script goes on", async () => {
    let seconds = 0.1
    const runScript = async () => {
      const script = `timeout ${seconds} bash -c 'echo a; ${busy}'; echo $?; timeout 0.1 sleep 9; echo $?; timeout 9 false; echo $?; timeout 1m echo b`
      // A busy machine may need longer to get to the loop.
      seconds *= 4
      const { stdout, stderr } = await workspace.exec(script)
      return { stdout, stderr }
    }
    await expect.poll(runScript).toEqual({ stdout: "a\n124\n124\n1\nb\n", stderr: "" })
  })
})

describe("an abort", () => {
  const reason = new Error("enough")

  it("F11, O29: before the start runs nothing", async () => {
    const signal = AbortSignal.abort(reason)
    await expect(workspace.exec("echo x > started", { signal })).rejects.toBe(reason)
    expect(await workspace.exists("started")).toBe(false)
  })

  it.each([
    ["a busy loop", busy],
    ["a sleep", "sleep 1000000000"],
  ])("F11, O29: during %s ends it before the promise rejects", async (_what, body) => {
    const controller = new AbortController()
    const running = workspace.exec(`echo 1 > started; ${body}; echo 2 > finished`, {
      signal: controller.signal,
    })
    while (!(await workspace.exists("started"))) await wait(5)
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
    const files = await workspace.readdir(".")
    await wait(50)
    expect(await workspace.readdir(".")).toEqual(files)
    expect(files).toEqual([{ name: "started", type: "file" }])
  })

  it("F11: while the thread is being started, and while waiting for one, runs nothing", async () => {
    const controller = new AbortController()
    const running = Array.from({ length: 20 }, (_, at) =>
      workspace.exec(`echo x > started-${at}`, { signal: controller.signal }),
    )
    controller.abort(reason)
    const results = await Promise.allSettled(running)
    expect(results).toEqual(results.map(() => ({ status: "rejected", reason })))
    expect(await workspace.readdir(".")).toEqual([])
    expect((await workspace.exec("echo ok")).stdout).toBe("ok\n")
  })

  it("F11: is not waited for any more when the command has ended", async () => {
    const { signal } = new AbortController()
    for (let at = 0; at < 20; at += 1) await workspace.exec("true", { signal })
    expect(getEventListeners(signal, "abort")).toEqual([])
  })

  it("F11: after the end changes nothing", async () => {
    const controller = new AbortController()
    const result = await workspace.exec("echo done", { signal: controller.signal })
    controller.abort(reason)
    expect(result.stdout).toBe("done\n")
    expect((await workspace.exec("echo again")).stdout).toBe("again\n")
  })
})

describe("several commands", () => {
  it("F15: run at once: a busy loop holds up neither a command nor a file", async () => {
    const loop = workspace.exec(busy, { timeoutMs: 10_000 })
    let isLooping = true
    const ended = loop.finally(() => {
      isLooping = false
    })
    await workspace.writeFile("a", "1")
    expect(await workspace.readFile("a")).toBe("1")
    expect((await workspace.exec("cat a; echo 2")).stdout).toBe("12\n")
    expect(isLooping).toBe(true)
    expect((await ended).ending.kind).toBe("timed-out")
  })

  it("F15: see each other's files at once", async () => {
    const reader = workspace.exec("until [ -e flag ]; do sleep 0.01; done; cat flag")
    await workspace.exec("echo hello > new; mv new flag")
    expect((await reader).stdout).toBe("hello\n")
  })

  it("F15: two hundred of them all answer", async () => {
    const commands = Array.from({ length: 200 }, (_, at) =>
      workspace.exec(`echo ${at}; exit ${at % 7}`),
    )
    const results = await Promise.all(commands)
    expect(results.map(({ stdout, exitCode }) => [stdout, exitCode])).toEqual(
      results.map((_, at) => [`${at}\n`, at % 7]),
    )
  })
})

describe("memory", () => {
  it("O30: that a command eats ends the command, with a sentence, and nothing else", async () => {
    const host = memoryHost({ memoryBytes: 150 * 1024 * 1024 })
    const small = await host.create({ name: "small" })
    const narrow = createWorkspace(small)
    const other = narrow.exec("sleep 0.5; echo other")
    const result = await narrow.exec("echo kept > kept; echo shown; f() { f; }; f")
    expect([result.exitCode, result.ending]).toEqual([137, { kind: "exited" }])
    expect(result.stderr).toBe("Ended: the command used more than 150 MiB of memory.\n")
    expect(await narrow.readFile("kept")).toBe("kept\n")
    expect((await other).stdout).toBe("other\n")
    expect((await narrow.exec("cat kept")).stdout).toBe("kept\n")
    await small.destroy()
  })
})

describe("the end", () => {
  it("F15, O29: destroying ends what runs and waits, and refuses what comes", async () => {
    const single = await memoryHost({ threads: 1 }).create({ name: "single" })
    const doomed = createWorkspace(single)
    await doomed.exec("true")
    const gone = { kind: "unavailable", message: "The sandbox has been destroyed." }
    const running = [doomed.exec(busy), doomed.exec("echo waiting")].map((one) =>
      one.catch((e) => e),
    )
    await wait(50)
    await Promise.all([single.destroy(), single.destroy()])
    expect(await Promise.all(running)).toMatchObject([gone, gone])
    await expect(doomed.exec("true")).rejects.toMatchObject(gone)
    await expect(doomed.readFile("x")).rejects.toMatchObject(gone)
  })

  it("F15: nothing keeps a process running that has no more to do", async () => {
    const script = `
      import { createWorkspace, memoryHost } from ${JSON.stringify(new URL("../../index.ts", import.meta.url).href)}
      const workspace = createWorkspace(await memoryHost().create({ name: "default" }))
      const first = await workspace.exec("sleep 0.05; echo one")
      await Promise.all([workspace.exec("true"), workspace.exec("true"), workspace.exec("true")])
      await workspace.exec("while true; do :; done", { timeoutMs: 100 })
      await workspace.writeFile("a", "two")
      const second = await workspace.exec("cat a")
      console.log(first.stdout + second.stdout)
    `
    const run = promisify(execFile)
    const { stdout, stderr } = await run(process.execPath, [
      "--input-type=module",
      "--eval",
      script,
    ])
    expect({ stdout, stderr }).toEqual({ stdout: "one\ntwo\n", stderr: "" })
  })
})
