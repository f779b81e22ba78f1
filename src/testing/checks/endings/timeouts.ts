import { limits } from "../../../contract/index.ts"
import { conformanceLimits } from "../../limits.ts"
import { defineChecks, type Measure, when } from "../../measure/conformance-check.ts"
import { requireEqual, requireThat } from "../../measure/require.ts"
import {
  busyLoop,
  requireStopped,
  requireUnharmedNeighbour,
  tickInto,
} from "../../measure/running-work.ts"
import {
  requireOnTime,
  startStopwatch,
  warmUp,
  withGrowingDeadline,
} from "../../measure/stopwatch.ts"

const timeoutMs = 300
const timedOut = { exitCode: 124, ending: { kind: "timed-out", afterMs: timeoutMs } }

/** A check that this command, which would run for long, is ended at its deadline. */
function ended(command: string | readonly string[], lateMs?: number): Measure {
  return async ({ workspace }) => {
    await warmUp(workspace)
    const elapsed = startStopwatch()
    const { exitCode, ending } = await workspace.exec(command, { timeoutMs })
    const elapsedMs = elapsed()
    requireEqual("the end", { exitCode, ending }, timedOut)
    requireOnTime(elapsedMs, timeoutMs, lateMs)
    return `ended after ${elapsedMs} ms of ${timeoutMs} ms`
  }
}

const timeoutsPromises = {
  deadline: "a command that runs past its deadline is ended, with exit code 124",
  "busy-loop": "a busy loop is ended at its deadline",
  pipeline: "a pipeline is ended at its deadline",
  "argument-list": "a command given as a list is ended at its deadline",
  stubborn: "a command that ignores the request to end is killed after a grace",
  "work-stops": "when the deadline's answer comes, the work inside has really stopped",
  "output-kept": "what a command wrote before its deadline is in its result",
  "files-kept": "files that a command wrote before its deadline stay",
  "next-works": "the command after one that timed out works",
  neighbour: "the deadline of one command leaves the others running",
  far: "a deadline further away than a 32-bit timer reaches does not fire at once",
  "not-waited-for": "a command that ends before its deadline is answered at once",
}

export const timeouts = defineChecks("timeouts", timeoutsPromises, {
  deadline: ended("sleep 4"),
  "busy-loop": ended(busyLoop),
  pipeline: ended("sleep 4 | cat | cat; sleep 4"),
  "argument-list": when("argumentLists", ended(["sleep", "4"])),
  stubborn: when(
    "background",
    ended(
      "trap '' TERM INT HUP; for i in $(seq 1 100); do sleep 0.1; done",
      limits.terminateGraceMs + conformanceLimits.lateMs,
    ),
  ),
  async "work-stops"({ workspace }) {
    await withGrowingDeadline(async (timeoutMs) => {
      const { exitCode } = await workspace.exec(tickInto("ticks"), { timeoutMs })
      requireEqual("the exit code", exitCode, 124)
      return workspace.exists("ticks")
    })
    return requireStopped(workspace, "ticks")
  },
  "output-kept": when("liveOutput", async ({ workspace }) => {
    const command = "echo early; echo warning >&2; sleep 4"
    let streams = {}
    await withGrowingDeadline(async (timeoutMs) => {
      const { stdout, stderr } = await workspace.exec(command, { timeoutMs })
      streams = { stdout, stderr }
      return stderr !== ""
    })
    requireEqual("the streams", streams, { stdout: "early\n", stderr: "warning\n" })
    return "one line on each stream, written before the deadline, came back"
  }),
  async "files-kept"({ workspace }) {
    await workspace.writeFile("before.txt", "before")
    await withGrowingDeadline(async (timeoutMs) => {
      await workspace.exec("echo kept > kept.txt; mkdir made; sleep 4", { timeoutMs })
      return workspace.exists("made")
    })
    const found = {
      before: await workspace.readFile("before.txt"),
      kept: await workspace.readFile("kept.txt"),
      made: (await workspace.stat("made")).type,
    }
    requireEqual("the files", found, { before: "before", kept: "kept\n", made: "directory" })
    return "a file from before, a new file and a new directory are there"
  },
  async "next-works"({ workspace }) {
    for (const command of [busyLoop, "sleep 4"]) {
      await workspace.exec(command, { timeoutMs })
      const { exitCode, stdout, ending } = await workspace.exec("echo well")
      const expected = { exitCode: 0, stdout: "well\n", ending: { kind: "exited" } }
      requireEqual(`echo after \`${command}\``, { exitCode, stdout, ending }, expected)
    }
    return "echo worked after a busy loop and after a sleep that were ended"
  },
  async neighbour(subject) {
    await requireUnharmedNeighbour(subject, async () => {
      const { exitCode } = await subject.workspace.exec(busyLoop, { timeoutMs })
      requireEqual("the exit code of the busy one", exitCode, 124)
    })
    return "a command that had begun before and ended after the timed-out one was well"
  },
  async far({ workspace }) {
    const far = 2 ** 31 + 1_000
    const { exitCode, stdout } = await workspace.exec("sleep 1; echo whole", { timeoutMs: far })
    requireEqual("the end", { exitCode, stdout }, { exitCode: 0, stdout: "whole\n" })
    return `sleep 1 ran to its end with ${far} ms`
  },
  async "not-waited-for"({ workspace }) {
    await warmUp(workspace)
    const elapsed = startStopwatch()
    const { exitCode, ending } = await workspace.exec("exit 4", { timeoutMs: 5_000 })
    const elapsedMs = elapsed()
    requireEqual("the end", { exitCode, ending }, { exitCode: 4, ending: { kind: "exited" } })
    requireThat(elapsedMs < 2_500, `answered after ${elapsedMs} ms instead of at once`)
    return `answered after ${elapsedMs} ms of 5000 ms`
  },
})

const idleTimeoutMs = 600

/**
 * A check that output on this stream keeps a command alive for twice its idle timeout. On a busy machine a command may
 * write later than it meant to: then all of it takes longer.
 */
function keptAlive(redirection: string): Measure {
  return async ({ workspace }) => {
    let end: unknown
    for (const idleMs of [idleTimeoutMs, 8 * idleTimeoutMs]) {
      const elapsed = startStopwatch()
      const everyMs = idleMs / 4
      const command = `for i in 1 2 3 4 5 6 7 8; do printf . ${redirection}; sleep ${everyMs / 1_000}; done`
      const { exitCode, ending } = await workspace.exec(command, { idleTimeoutMs: idleMs })
      if (exitCode === 0 && ending.kind === "exited") {
        return `8 bytes, one each ${everyMs} ms, kept it alive for ${elapsed()} ms at ${idleMs} ms`
      }
      end = { exitCode, ending }
    }
    requireEqual("the end", end, { exitCode: 0, ending: { kind: "exited" } })
    return ""
  }
}

const idleTimeoutsPromises = {
  silence: "a command that writes nothing for its idle timeout is ended, with exit code 124",
  reset: "each byte on stdout restarts the idle timeout",
  "stderr-counts": "a byte on stderr restarts the idle timeout as well",
  "work-stops": "when the idle timeout's answer comes, the work inside has really stopped",
  far: "an idle timeout further away than a 32-bit timer reaches does not fire at once",
  "with-deadline": "beside an idle timeout the deadline still holds",
}

export const idleTimeouts = defineChecks("idle-timeouts", idleTimeoutsPromises, {
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
    let end = {}
    await withGrowingDeadline(async (idleTimeoutMs) => {
      const { stdout, ending } = await workspace.exec(silent, { idleTimeoutMs })
      end = { stdout, kind: ending.kind }
      return stdout !== "" && workspace.exists("ticks")
    })
    const how = await requireStopped(workspace, "ticks")
    requireEqual("the end", end, { stdout: "start\n", kind: "idle" })
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
    const { exitCode, ending } = await workspace.exec(command, { timeoutMs, idleTimeoutMs: 5_000 })
    const expected = { exitCode: 124, ending: { kind: "timed-out", afterMs: timeoutMs } }
    requireEqual("the end", { exitCode, ending }, expected)
    return `a command that never fell silent was ended at its deadline of ${timeoutMs} ms`
  },
})
