import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { limits } from "../../../contract/index.ts"
import { conformanceLimits } from "../../limits.ts"
import { defineChecks, type Subject } from "../../measure/conformance-check.ts"
import { rejectionOf, requireEqual, requireThat } from "../../measure/require.ts"
import {
  isAlive,
  requireStopped,
  sizeOutside,
  tickInto,
  whenExists,
  whenWritten,
} from "../../measure/running-work.ts"
import { startStopwatch } from "../../measure/stopwatch.ts"
import { sharedFiles, withOutside } from "../../measure/with-outside.ts"

/** How background processes end, and when they do not. */
const backgroundEndingsPromises = {
  "kill-group": "killing a process ends its children too, and reports that a user did it",
  "kill-gently": "a killed process is asked to end and has the grace to do it in",
  "kill-once": "a killed process is asked to end once, as a second request would be an order",
  "kill-now": "a process that ignores the request to end is killed at once without a grace",
  survives: "a process in the background survives the commands that come after it",
  destroy: "a process in the background is ended when its sandbox is destroyed",
}

export const backgroundEndings = defineChecks("background", backgroundEndingsPromises, {
  async "kill-group"(subject) {
    const { workspace } = subject
    const family = `bash -c '${tickInto("grandchild")} & ${tickInto("child")}' & setsid bash -c '${tickInto("session")}' & ${tickInto("leader")}`
    const { id } = await workspace.processes.start(family)
    const files = ["leader", "child", "grandchild", "session"]
    for (const file of files) await whenWritten(subject, file)
    const { state } = await workspace.processes.kill(id)
    requireEqual("its state", state, { kind: "killed", by: "user" })
    return requireStopped(workspace, ...files)
  },
  async "kill-gently"(subject) {
    const { workspace } = subject
    const gentle = "trap 'sleep 0.4; echo tidy > tidied; exit 0' TERM; : > ready; sleep 6 & wait"
    const { id } = await workspace.processes.start(gentle)
    await whenExists(subject, "ready")
    const elapsed = startStopwatch()
    await workspace.processes.kill(id, { graceMs: 5_000 })
    const elapsedMs = elapsed()
    requireThat(await workspace.exists("tidied"), `it had no time to tidy up in ${elapsedMs} ms`)
    requireThat(elapsedMs < 4_500, `it took ${elapsedMs} ms`)
    return `it tidied up and was over after ${elapsedMs} ms of 5,000 ms`
  },
  async "kill-once"(subject) {
    const { workspace } = subject
    const patient = `trap 'echo asked >> asked' TERM; ${tickInto("ticks")}`
    const { id } = await workspace.processes.start(patient)
    await whenExists(subject, "ticks")
    await workspace.processes.kill(id, { graceMs: 2_000 })
    requireEqual("what it heard in 2 s", await workspace.readFile("asked"), "asked\n")
    return "one request in 2 s"
  },
  async "kill-now"(subject) {
    const { workspace } = subject
    const { id } = await workspace.processes.start(`trap "" TERM; ${tickInto("stubborn")}`)
    await whenExists(subject, "stubborn")
    const elapsed = startStopwatch()
    const { state } = await workspace.processes.kill(id, { graceMs: 0 })
    const elapsedMs = elapsed()
    requireEqual("its state", state, { kind: "killed", by: "user" })
    requireThat(elapsedMs < limits.terminateGraceMs - 500, `it took ${elapsedMs} ms`)
    return `${elapsedMs} ms; ${await requireStopped(workspace, "stubborn")}`
  },
  async survives({ workspace }) {
    const { id, pid } = await workspace.processes.start(tickInto("ticks", 60))
    await workspace.exec("true")
    await workspace.exec("sleep 5", { timeoutMs: 300 })
    const signal = AbortSignal.timeout(300)
    await rejectionOf("the aborted command", workspace.exec("sleep 5", { signal }))
    const { size } = await workspace.stat("ticks")
    await pause(conformanceLimits.stillMs)
    requireThat((await workspace.stat("ticks")).size > size, "it does not go on")
    requireThat(await isAlive(workspace, pid), `there is no process ${pid} any more`)
    await workspace.processes.kill(id, { graceMs: 0 })
    return "after a command that ended, one that timed out and one that was aborted"
  },
  destroy: (subject) => withOutside(({ directory }) => endedByDestroy(subject, directory)),
})

async function endedByDestroy(subject: Subject, directory: string): Promise<string> {
  const { workspace, sandbox, can } = subject
  const env = { OUT: sharedFiles(can) ? join(directory, "empty") : sandbox.home }
  const { id } = await workspace.processes.start(`: > begun; ${tickInto('"$OUT/ticks"')}`, { env })
  await whenExists(subject, "begun")
  await pause(100)
  const elapsed = startStopwatch()
  await sandbox.destroy()
  const { state } = await workspace.processes.wait(id, { timeoutMs: 2_000 })
  const how = `it was ${state.kind} after ${elapsed()} ms`
  requireThat(state.kind === "gone" || state.kind === "killed", how)
  if (!sharedFiles(can)) return how
  return `${how}; ${await requireStopped({ stat: sizeOutside }, join(env.OUT, "ticks"))}`
}
