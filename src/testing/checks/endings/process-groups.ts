import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { Workspace } from "../../../contract/index.ts"
import { conformanceLimits } from "../../limits.ts"
import { defineChecks, type Measurement, when } from "../../measure/conformance-check.ts"
import { rejectionOf, requireEqual, requireThat } from "../../measure/require.ts"
import { requireStopped, sizeOutside, tickInto } from "../../measure/running-work.ts"
import {
  requireOnTime,
  startStopwatch,
  warmUp,
  withGrowingDeadline,
} from "../../measure/stopwatch.ts"
import { sharedFiles, withOutside } from "../../measure/with-outside.ts"

const family = `bash -c '${tickInto("grandchild")} & ${tickInto("child")}' & ${tickInto("leader")}`
const familyFiles = ["leader", "child", "grandchild"] as const
const stubborn = `bash -c 'trap "" TERM INT HUP; ${tickInto("stubborn")}' & ${tickInto("leader")}`
const escaping = `setsid bash -c '${tickInto("escaped")}' & sleep 6`

type End = (workspace: Workspace, command: string, afterMs: number) => Promise<void>

const atDeadline: End = async (workspace, command, afterMs) => {
  const { exitCode } = await workspace.exec(command, { timeoutMs: afterMs })
  requireEqual("the exit code", exitCode, 124)
}

const byAbort: End = async (workspace, command, afterMs) => {
  const signal = AbortSignal.timeout(afterMs)
  await rejectionOf("the aborted command", workspace.exec(command, { signal }))
}

/** A check that whatever a command has started stops with it. */
function stopped(command: string, files: readonly string[], end: End): Measurement {
  return when("background", async ({ workspace }) => {
    await withGrowingDeadline(async (afterMs) => {
      await end(workspace, command, afterMs)
      const begun = await Promise.all(files.map((file) => workspace.exists(file)))
      return begun.every(Boolean)
    })
    return requireStopped(workspace, ...files)
  })
}

const processGroupsPromises = {
  deadline: "a deadline ends a command together with its children and grandchildren",
  abort: "an abort ends a command together with its children and grandchildren",
  stubborn: "a child that ignores the request to end is killed with its command",
  setsid: "a child that left the group with setsid is ended by the deadline as well",
  "setsid-abort": "a child that left the group with setsid is ended by an abort as well",
  "held-pipe": "a background child that holds the output open does not hold up the result",
  "held-pipe-deadline":
    "at a deadline, a child outside the group that holds the output open does not hold up the result",
  destroy: "destroying a sandbox ends whatever still runs in it, in its group or not",
}

export const processGroups = defineChecks("process-groups", processGroupsPromises, {
  deadline: stopped(family, familyFiles, atDeadline),
  abort: stopped(family, familyFiles, byAbort),
  stubborn: stopped(stubborn, ["leader", "stubborn"], atDeadline),
  setsid: stopped(escaping, ["escaped"], atDeadline),
  "setsid-abort": stopped(escaping, ["escaped"], byAbort),
  "held-pipe": when("background", async ({ workspace }) => {
    await warmUp(workspace)
    const elapsed = startStopwatch()
    const { exitCode, stdout } = await workspace.exec("sleep 5 & echo done; exit 6")
    const elapsedMs = elapsed()
    requireEqual("the end", { exitCode, stdout }, { exitCode: 6, stdout: "done\n" })
    requireThat(
      elapsedMs < conformanceLimits.lateMs,
      `answered after ${elapsedMs} ms instead of at once`,
    )
    return `answered after ${elapsedMs} ms beside a child of 5 s`
  }),
  "held-pipe-deadline": when("background", async ({ workspace }) => {
    await warmUp(workspace)
    const command = "setsid sleep 9 & echo started; sleep 9"
    let end = {}
    let how = ""
    await withGrowingDeadline(async (timeoutMs) => {
      const elapsed = startStopwatch()
      const { exitCode, stdout } = await workspace.exec(command, { timeoutMs })
      const elapsedMs = elapsed()
      requireOnTime(elapsedMs, timeoutMs)
      end = { exitCode, stdout }
      how = `answered after ${elapsedMs} ms of ${timeoutMs} ms`
      return stdout !== ""
    })
    requireEqual("the end", end, { exitCode: 124, stdout: "started\n" })
    return how
  }),
  destroy: when(
    (can) => can.background && sharedFiles(can),
    ({ workspace, sandbox }) =>
      withOutside(async ({ directory }) => {
        const env = { OUT: join(directory, "empty") }
        const background = [
          `(${tickInto('"$OUT/group"')}) &`,
          `setsid bash -c '${tickInto('"$OUT/session"')}' &`,
          'until [ -e "$OUT/group" ] && [ -e "$OUT/session" ]; do sleep 0.05; done',
        ].join("\n")
        await workspace.exec(background, { env, timeoutMs: 30_000 })
        await sandbox.destroy()
        await pause(50)
        return requireStopped(
          { stat: sizeOutside },
          join(env.OUT, "group"),
          join(env.OUT, "session"),
        )
      }),
  ),
})
