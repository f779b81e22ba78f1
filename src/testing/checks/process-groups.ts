import { stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { limits } from "../../contract/index.ts"
import type { ConformanceCheck } from "../conformance-check.ts"
import { realProcesses, sharedFiles } from "../measure/needs.ts"
import { requireEqual, requireThat } from "../measure/require.ts"
import { startStopwatch } from "../measure/stopwatch.ts"
import { requireStopped, tickInto } from "../measure/ticks.ts"
import { withOutside } from "../measure/with-outside.ts"

const family = `bash -c '${tickInto("grandchild")} & ${tickInto("child")}' & ${tickInto("leader")}`
const familyFiles = ["leader", "child", "grandchild"] as const
const timeoutMs = 800

export const processGroups: readonly ConformanceCheck[] = [
  {
    id: "process-groups.deadline",
    promise: "a deadline ends a command together with its children and grandchildren",
    needs: realProcesses,
    async run({ workspace }) {
      await workspace.exec(family, { timeoutMs })
      return requireStopped(workspace, ...familyFiles)
    },
  },
  {
    id: "process-groups.abort",
    promise: "an abort ends a command together with its children and grandchildren",
    needs: realProcesses,
    async run({ workspace }) {
      const signal = AbortSignal.timeout(timeoutMs)
      await Promise.allSettled([workspace.exec(family, { signal })])
      return requireStopped(workspace, ...familyFiles)
    },
  },
  {
    id: "process-groups.stubborn",
    promise: "a child that ignores the request to end is killed with its command",
    needs: realProcesses,
    async run({ workspace }) {
      const stubborn = `bash -c 'trap "" TERM INT HUP; ${tickInto("stubborn")}' & ${tickInto("leader")}`
      await workspace.exec(stubborn, { timeoutMs })
      return requireStopped(workspace, "leader", "stubborn")
    },
  },
  {
    id: "process-groups.setsid",
    promise: "a child that left the process group with setsid is ended by the deadline as well",
    needs: realProcesses,
    async run({ workspace }) {
      await workspace.exec(`setsid bash -c '${tickInto("escaped")}' & sleep 4`, { timeoutMs })
      return requireStopped(workspace, "escaped")
    },
  },
  {
    id: "process-groups.setsid-abort",
    promise: "a child that left the process group with setsid is ended by an abort as well",
    needs: realProcesses,
    async run({ workspace }) {
      const signal = AbortSignal.timeout(timeoutMs)
      const command = `setsid bash -c '${tickInto("escaped")}' & sleep 4`
      await Promise.allSettled([workspace.exec(command, { signal })])
      return requireStopped(workspace, "escaped")
    },
  },
  {
    id: "process-groups.held-pipe",
    promise: "a background child that holds the output open does not hold up the result",
    needs: realProcesses,
    async run({ workspace }) {
      const elapsed = startStopwatch()
      const { exitCode, stdout } = await workspace.exec("sleep 5 & echo done; exit 6")
      const elapsedMs = elapsed()
      requireEqual("the end", { exitCode, stdout }, { exitCode: 6, stdout: "done\n" })
      requireThat(elapsedMs < limits.conformance.lateMs, `answered after ${elapsedMs} ms`)
      return `answered after ${elapsedMs} ms beside a child of 5 s`
    },
  },
  {
    id: "process-groups.held-pipe-deadline",
    promise:
      "at a deadline, a child outside the group that holds the output open does not hold up the result",
    needs: realProcesses,
    async run({ workspace }) {
      const elapsed = startStopwatch()
      const command = "setsid sleep 5 & echo started; sleep 5"
      const { exitCode, stdout } = await workspace.exec(command, { timeoutMs })
      const elapsedMs = elapsed()
      requireEqual("the end", { exitCode, stdout }, { exitCode: 124, stdout: "started\n" })
      requireThat(
        elapsedMs < timeoutMs + limits.conformance.lateMs,
        `answered after ${elapsedMs} ms`,
      )
      return `answered after ${elapsedMs} ms of ${timeoutMs} ms`
    },
  },
  {
    id: "process-groups.destroy",
    promise: "destroying a sandbox ends whatever still runs in it, in its group or not",
    needs: (can) => realProcesses(can) && sharedFiles(can),
    run: ({ workspace, sandbox }) =>
      withOutside(async ({ directory }) => {
        const env = { OUT: join(directory, "empty") }
        const background = `(${tickInto('"$OUT/group"')}) & setsid bash -c '${tickInto('"$OUT/session"')}' & sleep 0.5`
        await workspace.exec(background, { env })
        await sandbox.destroy()
        await pause(50)
        return requireStopped({ stat: sizeOf }, join(env.OUT, "group"), join(env.OUT, "session"))
      }),
  },
]

async function sizeOf(path: string) {
  const { size, mtimeMs, mode } = await stat(path)
  return { type: "file", size, modifiedMs: mtimeMs, mode } as const
}
