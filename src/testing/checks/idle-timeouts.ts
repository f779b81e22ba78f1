import { defineChecks, type Measure } from "../measure/define-checks.ts"
import { requireEqual } from "../measure/require.ts"
import { requireOnTime, startStopwatch, warmUp } from "../measure/stopwatch.ts"
import { requireStopped, tickInto } from "../measure/ticks.ts"

const idleTimeoutMs = 600

/** A check that output on this stream keeps a command alive beyond its idle timeout. */
function keptAlive(redirection: string): Measure {
  return async ({ workspace }) => {
    const elapsed = startStopwatch()
    const command = `for i in 1 2 3 4 5 6 7 8; do printf . ${redirection}; sleep 0.15; done`
    const { exitCode, ending } = await workspace.exec(command, { idleTimeoutMs })
    const elapsedMs = elapsed()
    requireEqual("the end", { exitCode, ending }, { exitCode: 0, ending: { kind: "exited" } })
    return `8 bytes, one each 150 ms, kept it alive for ${elapsedMs} ms at ${idleTimeoutMs} ms`
  }
}

const idleTimeoutsPromises = {
  silence: "a command that writes nothing for its idle timeout is ended, with exit code 124",
  reset: "each byte on stdout starts the idle timeout anew",
  "stderr-counts": "a byte on stderr starts the idle timeout anew as well",
  "work-stops": "when the idle timeout's answer comes, the work inside has really stopped",
  far: "an idle timeout further away than a 32-bit timer reaches does not fire at once",
  "with-deadline": "beside an idle timeout the deadline still holds",
}

export const idleTimeouts = defineChecks(
  { topic: "idle-timeouts", needs: "liveOutput" },
  idleTimeoutsPromises,
  {
    async silence({ workspace }) {
      await warmUp(workspace)
      const elapsed = startStopwatch()
      const { exitCode, ending } = await workspace.exec("sleep 4", { idleTimeoutMs })
      const elapsedMs = elapsed()
      const expected = { exitCode: 124, ending: { kind: "idle", afterMs: idleTimeoutMs } }
      requireEqual("the end", { exitCode, ending }, expected)
      requireOnTime(elapsedMs, idleTimeoutMs)
      return `ended after ${elapsedMs} ms of ${idleTimeoutMs} ms`
    },
    reset: keptAlive(""),
    "stderr-counts": keptAlive(">&2"),
    async "work-stops"({ workspace }) {
      const silent = `echo start; ${tickInto("ticks")}`
      const { stdout, ending } = await workspace.exec(silent, { idleTimeoutMs })
      const how = await requireStopped(workspace, "ticks")
      requireEqual("the end", { stdout, kind: ending.kind }, { stdout: "start\n", kind: "idle" })
      return how
    },
    async far({ workspace }) {
      const far = 2 ** 31 + 1_000
      const { exitCode } = await workspace.exec("sleep 1; exit 8", { idleTimeoutMs: far })
      requireEqual("the exit code", exitCode, 8)
      return `sleep 1 ran to its end with ${far} ms`
    },
    async "with-deadline"({ workspace }) {
      const command = "for i in $(seq 1 100); do echo busy; sleep 0.05; done"
      const timeoutMs = 700
      const { exitCode, ending } = await workspace.exec(command, { timeoutMs, idleTimeoutMs })
      const expected = { exitCode: 124, ending: { kind: "timed-out", afterMs: timeoutMs } }
      requireEqual("the end", { exitCode, ending }, expected)
      return `a command that never fell silent was ended at its deadline of ${timeoutMs} ms`
    },
  },
)
