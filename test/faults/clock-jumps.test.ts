import { describe, expect, it } from "vitest"
import { type Clock, systemClock } from "../../src/kit/index.ts"
import { bubblewrapHost, createPool } from "../../src/sandbox/index.ts"
import { openMcpFixture } from "./fault-ground.ts"

const day = 86_400_000

/** The time of day, which somebody sets. */
function settableClock(): Clock & { jump: (milliseconds: number) => void } {
  let set = 0
  return {
    now: () => systemClock.now() + set,
    after: systemClock.after,
    jump(milliseconds) {
      set += milliseconds
    },
  }
}

describe("a clock that jumps", () => {
  for (const [direction, jump] of [
    ["forward", day],
    ["back", -day],
  ] as const) {
    it(`Y12, C18: by a day ${direction} ends no command early or late, and puts no sandbox to sleep`, async () => {
      const clock = settableClock()
      const host = bubblewrapHost({ directory: openMcpFixture(), clock })
      await using pool = createPool(host, { clock })
      await pool.create({ name: "steady", sleepAfterMs: 1_000 })
      const workspace = await pool.workspace("steady")
      const started = performance.now()
      const done = workspace.exec("sleep 1; echo done", { timeoutMs: 20_000 })
      const late = workspace.exec("sleep 1000", { timeoutMs: 1_200 })
      const quiet = workspace.exec("echo first; sleep 1000", { idleTimeoutMs: 1_200 })
      clock.jump(jump)
      expect(await done).toMatchObject({ stdout: "done\n", ending: { kind: "exited" } })
      expect(await late).toMatchObject({ exitCode: 124, ending: { kind: "timed-out" } })
      expect(await quiet).toMatchObject({ exitCode: 124, ending: { kind: "idle" } })
      expect(performance.now() - started).toBeGreaterThan(1_100)
      expect(pool.list()).toMatchObject([{ status: "running" }])
      clock.jump(jump)
      await expect.poll(() => pool.list()).toMatchObject([{ status: "sleeping" }])
    })
  }
})
