import { afterAll, beforeAll, expect, it } from "vitest"
import { watchTurns } from "../../../../../test/support/cpu-time.ts"
import { heldClock } from "../../../../../test/support/held-clock.ts"
import {
  type LocalFixture,
  openLocal,
  until,
} from "../../../../../test/support/sandbox/local-fixture.ts"
import type { OutputChunk } from "../../../../contract/index.ts"

let local: LocalFixture
beforeAll(async () => {
  local = await openLocal()
})
afterAll(() => local[Symbol.asyncDispose]())

it("O24: output is shown while the command runs, each stream by its name", async () => {
  const seen: string[] = []
  await local.workspace.exec("mkfifo go")
  const running = local.workspace.exec("echo one; echo two >&2; read < go; echo three", {
    onOutput: ({ stream, bytes }) => seen.push(`${stream}: ${Buffer.from(bytes)}`),
  })
  await until(() => seen.length >= 2)
  expect(seen.toSorted()).toEqual(["stderr: two\n", "stdout: one\n"])
  await local.workspace.exec("echo > go")
  await running
  expect(seen.at(-1)).toBe("stdout: three\n")
})

it("F18: 10 MB on both streams at once arrive whole", async () => {
  const script =
    "head -c 10000000 /dev/zero | tr '\\0' a & head -c 10000000 /dev/zero | tr '\\0' b >&2; wait"
  const { stdout, stderr, omitted, exitCode } = await local.workspace.exec(script)
  expect(stdout === "a".repeat(10_000_000)).toBe(true)
  expect(stderr === "b".repeat(10_000_000)).toBe(true)
  expect([omitted, exitCode]).toEqual([{ stdout: 0, stderr: 0 }, 0])
})

it("O24, Y12: a flood stays within its bounds and leaves the event loop free", async () => {
  const clock = heldClock()
  await using flooded = await openLocal({ clock })
  const turns = watchTurns()
  let shown = 0
  const before = process.memoryUsage().rss
  const flood = await flooded.workspace.exec("yes", {
    timeoutMs: 1_000,
    maxOutputBytes: 1_000,
    onOutput: ({ bytes }) => {
      clock.start()
      shown += bytes.length
    },
  })
  const grown = process.memoryUsage().rss - before
  expect(flood.stdoutBytes.length).toBe(1_000)
  expect(flood.omitted.stdout).toBe(shown - 1_000)
  expect(shown).toBeGreaterThan(10_000_000)
  expect(flood.exitCode).toBe(124)
  expect(turns.stop()).toBeLessThan(200)
  expect(grown).toBeLessThan(300_000_000)
})

it("O24: many tiny writes cost no more memory than their bytes", async () => {
  const before = process.memoryUsage().rss
  const script = "import os\nfor i in range(300000): os.write(1, b'x')"
  const { stdoutBytes } = await local.workspace.exec(["python3", "-c", script])
  expect(stdoutBytes.length).toBe(300_000)
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
})

it("F18: what the last moment wrote is not lost when the event loop is late", async () => {
  const running = local.workspace.exec(
    "sleep 0.05; head -c 60000 /dev/zero; head -c 60000 /dev/zero >&2",
  )
  await new Promise((resolve) => setTimeout(resolve, 40))
  const blockedUntil = performance.now() + 600
  while (performance.now() < blockedUntil);
  const { stdoutBytes, stderrBytes } = await running
  expect([stdoutBytes.length, stderrBytes.length]).toEqual([60_000, 60_000])
})

it("F18: a receiver that throws ends the command and gets its error back", async () => {
  let calls = 0
  const running = local.workspace.exec("echo one; sleep 0.2; echo two; sleep 100", {
    onOutput: () => {
      calls += 1
      throw new Error("the receiver broke")
    },
  })
  await expect(running).rejects.toThrow("the receiver broke")
  expect(calls).toBe(1)
})

it("F18: a receiver that throws after the command's exit is not passed over", async () => {
  // Nothing is waited for in vain before it has come.
  const clock = heldClock()
  await using own = await openLocal({ clock })
  const running = own.workspace.exec("(sleep 0.05; echo late) & exit 0", {
    onOutput: () => {
      clock.start()
      throw new Error("the receiver broke late")
    },
  })
  await expect(running).rejects.toThrow("the receiver broke late")
})

it("F18: nothing is shown after the answer", async () => {
  const late: OutputChunk[] = []
  let answered = false
  await local.workspace.exec("(while :; do echo tick; sleep 0.02; done) & echo started", {
    onOutput: (chunk) => {
      if (answered) late.push(chunk)
    },
  })
  answered = true
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(late).toEqual([])
})
