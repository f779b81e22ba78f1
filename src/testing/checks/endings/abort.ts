import { setTimeout as pause } from "node:timers/promises"
import type { Workspace } from "../../../contract/index.ts"
import { conformanceLimits } from "../../limits.ts"
import { defineChecks, type Subject, when } from "../../measure/conformance-check.ts"
import { rejectionOf, requireEqual, requireThat } from "../../measure/require.ts"
import {
  busyLoop,
  perform,
  requireStopped,
  requireUnharmedNeighbour,
  tickInto,
  whenExists,
} from "../../measure/running-work.ts"
import { startStopwatch } from "../../measure/stopwatch.ts"

/** Runs a command, aborts it once a file shows that it is on its way, requires that it rejects in time. */
async function abortCommand(subject: Subject, command: string, sign = "begun"): Promise<string> {
  const controller = new AbortController()
  const reason = new Error("the caller has changed its mind")
  const work = subject.workspace.exec(`: > begun; ${command}`, { signal: controller.signal })
  const rejection = rejectionOf("the aborted command", work)
  await Promise.race([whenExists(subject, sign), rejection])
  await pause(200)
  const elapsed = startStopwatch()
  controller.abort(reason)
  const error = await rejection
  const elapsedMs = elapsed()
  requireThat(error === reason, `rejected with ${String(error)} instead of the signal's reason`)
  requireThat(
    elapsedMs <= conformanceLimits.lateMs,
    `rejected after ${elapsedMs} ms instead of at once`,
  )
  return `rejected with the signal's reason ${elapsedMs} ms after the abort`
}

const abortPromises = {
  before: "work whose signal is already aborted is not begun",
  during: "a running command that is aborted rejects with the signal's reason",
  output: "a command that is aborted still has the output that it wrote before",
  "busy-loop": "a busy loop that is aborted is ended",
  "work-stops": "when the abort's answer comes, the work inside has really stopped",
  "after-end": "an abort after the end changes nothing",
  "files-kept": "files that a command wrote before it was aborted stay, and the next command works",
  neighbour: "aborting one command leaves the others running",
  write:
    "a write that is aborted leaves the old content or the new, never a part, and nothing beside it",
}

export const abort = defineChecks("abort", abortPromises, {
  async before(subject) {
    const reason = new Error("aborted before the start")
    const signal = AbortSignal.abort(reason)
    const path = `${subject.sandbox.home}/never.txt`
    const attempts = {
      "a command": () =>
        perform(subject, "echo ran > never.txt", { signal, maxOutputBytes: 1_000 }),
      "a write": () =>
        subject.sandbox.perform<"file.write">(
          { kind: "file.write", path, data: new Uint8Array(3), append: false, mode: null },
          { signal, onOutput: () => {} },
        ),
    }
    for (const [what, attempt] of Object.entries(attempts)) {
      const error = await rejectionOf(what, attempt())
      requireThat(error === reason, `${what} rejected with ${String(error)}, not with the reason`)
    }
    await pause(200)
    requireEqual("that never.txt exists", await subject.workspace.exists("never.txt"), false)
    return "a command and a write rejected with the reason and left no file"
  },
  during: (subject) => abortCommand(subject, "sleep 4"),
  output: when("liveOutput", async ({ workspace }) => {
    const controller = new AbortController()
    const { stdout, exitCode, ending } = await workspace.exec("echo so far; sleep 4", {
      signal: controller.signal,
      rejectOnAbort: false,
      onOutput: () => controller.abort(),
    })
    const expected = { stdout: "so far\n", exitCode: 143, ending: { kind: "aborted" } }
    requireEqual("the answer", { stdout, exitCode, ending }, expected)
    return "it answered with what it had written"
  }),
  "busy-loop": (subject) => abortCommand(subject, busyLoop),
  async "work-stops"(subject) {
    await abortCommand(subject, tickInto("ticks"), "ticks")
    return requireStopped(subject.workspace, "ticks")
  },
  async "after-end"({ workspace }) {
    const controller = new AbortController()
    const { signal } = controller
    const first = await workspace.exec("echo one > one.txt; echo one", { signal })
    await workspace.writeFile("two.txt", "two", { signal })
    controller.abort()
    await pause(100)
    const found = {
      first: first.stdout,
      one: await workspace.readFile("one.txt"),
      two: await workspace.readFile("two.txt"),
      next: (await workspace.exec("echo next")).stdout,
    }
    requireEqual("what is there", found, {
      first: "one\n",
      one: "one\n",
      two: "two",
      next: "next\n",
    })
    return "results, files and the next command were as if nobody had aborted"
  },
  async "files-kept"(subject) {
    await abortCommand(subject, "echo kept > kept.txt; sleep 4", "kept.txt")
    const { stdout, exitCode } = await subject.workspace.exec("cat kept.txt")
    requireEqual("cat kept.txt", { stdout, exitCode }, { stdout: "kept\n", exitCode: 0 })
    return "the next command read the file of the aborted one"
  },
  async neighbour(subject) {
    await requireUnharmedNeighbour(subject, () => abortCommand(subject, busyLoop))
    return "a command that had begun before and ended after the aborted one was well"
  },
  async write({ workspace }) {
    const fresh = new Uint8Array(8 * 1024 * 1024).fill(110)
    const elapsed = startStopwatch()
    await workspace.writeFile("target/file", fresh)
    const wholeMs = elapsed()
    const outcomes = { old: 0, new: 0 }
    for (const part of [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) {
      await workspace.writeFile("target/file", "old")
      const controller = new AbortController()
      const writing = workspace.writeFile("target/file", fresh, { signal: controller.signal })
      const settled = Promise.allSettled([writing])
      await pause(part * wholeMs)
      controller.abort()
      await settled
      outcomes[(await isWhole(workspace, fresh)) ? "new" : "old"] += 1
    }
    const names = (await workspace.readdir("target")).map(({ name }) => name)
    requireEqual("the names in the directory", names, ["file"])
    return `aborted 10 times within ${wholeMs} ms: ${outcomes.old} times the old content, ${outcomes.new} times the new`
  },
})

async function isWhole(workspace: Workspace, fresh: Uint8Array): Promise<boolean> {
  const bytes = await workspace.readFileBuffer("target/file")
  if (bytes.length === fresh.length) {
    requireThat(
      bytes.every((byte) => byte === fresh[0]),
      "the file is a mixture",
    )
    return true
  }
  requireEqual("the old content", new TextDecoder().decode(bytes.subarray(0, 100)), "old")
  return false
}
