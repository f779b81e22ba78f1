import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { limits, ToolFailure, type Workspace } from "../../contract/index.ts"
import type { ConformanceCheck, Subject } from "../conformance-check.ts"
import { background as needs, sharedFiles } from "../measure/needs.ts"
import { rejectionOf, requireEqual, requireThat } from "../measure/require.ts"
import { startStopwatch, warmUp } from "../measure/stopwatch.ts"
import { requireStopped, sizeOutside, tickInto } from "../measure/ticks.ts"
import { whenExists } from "../measure/when-exists.ts"
import { withOutside } from "../measure/with-outside.ts"

async function isAlive(workspace: Workspace, pid: number): Promise<boolean> {
  return (await workspace.exec(`kill -0 ${pid}`)).exitCode === 0
}

function requireSoon(what: string, elapsedMs: number): void {
  requireThat(elapsedMs < limits.conformance.lateMs, `${what} took ${elapsedMs} ms`)
}

/** Commands that nobody waits for. */
export const background: readonly ConformanceCheck[] = [
  {
    id: "background.start",
    promise: "a process in the background is started at once, and its number is alive inside",
    needs,
    async run({ workspace }) {
      await warmUp(workspace)
      const elapsed = startStopwatch()
      const { id, pid, state } = await workspace.processes.start("sleep 6")
      const elapsedMs = elapsed()
      requireSoon("its start", elapsedMs)
      requireEqual("its state", state, { kind: "running" })
      requireThat(await isAlive(workspace, pid), `there is no process ${pid} inside`)
      await workspace.processes.kill(id, { graceMs: 0 })
      requireThat(!(await isAlive(workspace, pid)), `process ${pid} is there after its end`)
      return `started after ${elapsedMs} ms beside a sleep of 6 s`
    },
  },
  {
    id: "background.list-arguments",
    promise: "a list of arguments is started as it is, and no shell reads it",
    needs,
    async run({ workspace }) {
      const words = ["printf", "%s|", "$HOME", "two words", "it's", "*", ""]
      const { id } = await workspace.processes.start(words)
      await workspace.processes.wait(id)
      const { text } = await workspace.processes.output(id)
      requireEqual("its output", text, "$HOME|two words|it's|*||")
      return "printf with five odd words"
    },
  },
  {
    id: "background.settings",
    promise: "a process in the background has the directory, variables and input it is given",
    needs,
    async run({ workspace, sandbox }) {
      await workspace.mkdir("some/place")
      const { id } = await workspace.processes.start('pwd; echo "$MARKED"; cat', {
        cwd: "some/place",
        env: { MARKED: "it's $marked" },
        stdin: "the input",
      })
      await workspace.processes.wait(id)
      const { text } = await workspace.processes.output(id)
      requireEqual("its output", text, `${sandbox.home}/some/place\nit's $marked\nthe input`)
      return "it printed its directory, a variable and its input"
    },
  },
  {
    id: "background.output",
    promise: "output is read from a byte on while the process goes on writing",
    needs,
    async run(subject) {
      const { workspace } = subject
      const command = "echo first; : > said; until [ -e go ]; do sleep 0.05; done; echo sécond >&2"
      const { id } = await workspace.processes.start(command)
      await whenExists(subject, "said")
      const first = await workspace.processes.output(id)
      requireEqual(
        "its output at first",
        [first.text, first.nextOffset, first.state.kind],
        ["first\n", 6, "running"],
      )
      await workspace.writeFile("go", "")
      await workspace.processes.wait(id)
      const rest = await workspace.processes.output(id, { offset: first.nextOffset })
      requireEqual(
        "the rest",
        [rest.text, rest.nextOffset, rest.state.kind],
        ["sécond\n", 14, "exited"],
      )
      const part = await workspace.processes.output(id, { offset: 2, length: 3 })
      requireEqual("bytes 2 to 4", [part.text, part.nextOffset], ["rst", 5])
      return "a line while it ran, the rest after its end, and a part"
    },
  },
  {
    id: "background.exit-code",
    promise: "a process in the background is running until it has exited with its code",
    needs,
    async run({ workspace }) {
      const { id } = await workspace.processes.start(
        "until [ -e go ]; do sleep 0.05; done; exit 42",
      )
      const before = await workspace.processes.status(id)
      requireEqual("its state at first", before.state, { kind: "running" })
      await workspace.writeFile("go", "")
      const { state } = await workspace.processes.wait(id)
      requireEqual("its state", state, { kind: "exited", exitCode: 42 })
      requireEqual("its state again", (await workspace.processes.status(id)).state, state)
      const missing = await workspace.processes.start("no-such-program-anywhere")
      const end = await workspace.processes.wait(missing.id)
      requireEqual("one that is not there", end.state, { kind: "exited", exitCode: 127 })
      return "running, then exited with 42; a program that is not there with 127"
    },
  },
  {
    id: "background.wait",
    promise: "waiting for a process ends at its deadline while the process goes on",
    needs,
    async run({ workspace }) {
      const { id } = await workspace.processes.start(tickInto("ticks"))
      const elapsed = startStopwatch()
      const { state } = await workspace.processes.wait(id, { timeoutMs: 700 })
      const elapsedMs = elapsed()
      requireEqual("its state", state, { kind: "running" })
      requireThat(elapsedMs >= 695, `the wait was over after ${elapsedMs} ms`)
      requireSoon("the wait", elapsedMs)
      const { size } = await workspace.stat("ticks")
      await pause(limits.conformance.stillMs)
      requireThat((await workspace.stat("ticks")).size > size, "it does not go on")
      await workspace.processes.kill(id, { graceMs: 0 })
      return `${elapsedMs} ms of 700 ms, and it went on`
    },
  },
  {
    id: "background.kill-group",
    promise: "killing a process ends its children too, and says that a user did it",
    needs,
    async run(subject) {
      const { workspace } = subject
      const family = `bash -c '${tickInto("grandchild")} & ${tickInto("child")}' & setsid bash -c '${tickInto("session")}' & ${tickInto("leader")}`
      const { id } = await workspace.processes.start(family)
      const files = ["leader", "child", "grandchild", "session"]
      for (const file of files) await whenExists(subject, file)
      const { state } = await workspace.processes.kill(id)
      requireEqual("its state", state, { kind: "killed", by: "user" })
      return requireStopped(workspace, ...files)
    },
  },
  {
    id: "background.kill-gently",
    promise: "a killed process is asked to end and has the grace to do it in",
    needs,
    async run(subject) {
      const { workspace } = subject
      const gentle = "trap 'sleep 0.4; echo tidy > tidied; exit 0' TERM; : > ready; sleep 6 & wait"
      const { id } = await workspace.processes.start(gentle)
      await whenExists(subject, "ready")
      const elapsed = startStopwatch()
      await workspace.processes.kill(id, { graceMs: 5_000 })
      const elapsedMs = elapsed()
      requireThat(await workspace.exists("tidied"), "it had no time to tidy up")
      requireThat(elapsedMs < 4_500, `it was waited for ${elapsedMs} ms`)
      return `it tidied up and was over after ${elapsedMs} ms of 5,000 ms`
    },
  },
  {
    id: "background.kill-now",
    promise: "a process that ignores the request to end is killed at once without a grace",
    needs,
    async run(subject) {
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
  },
  {
    id: "background.log-file",
    promise: "the output of a process, both streams, is a file of the sandbox",
    needs,
    async run({ workspace }) {
      const { id, logFile } = await workspace.processes.start("echo out; echo err >&2")
      await workspace.processes.wait(id)
      requireEqual("the file", await workspace.readFile(logFile), "out\nerr\n")
      const { stdout } = await workspace.exec('cat "$LOG"', { env: { LOG: logFile } })
      requireEqual("the file, read by a command", stdout, "out\nerr\n")
      return logFile
    },
  },
  {
    id: "background.list",
    promise: "all processes in the background are listed, those that are over too",
    needs,
    async run({ workspace }) {
      const commands = ["exit 3", "sleep 6", ["sleep", "7"]]
      const started = await Promise.all(commands.map((it) => workspace.processes.start(it)))
      await workspace.processes.wait(started[0]?.id ?? "")
      const listed = await workspace.processes.list()
      const shown = started.map(({ id }) => listed.find((one) => one.id === id))
      requireEqual(
        "commands and states",
        shown.map((one) => [one?.command, one?.state.kind]),
        [
          ["exit 3", "exited"],
          ["sleep 6", "running"],
          [["sleep", "7"], "running"],
        ],
      )
      requireEqual("different numbers", new Set(started.map(({ pid }) => pid)).size, 3)
      for (const { id } of started) await workspace.processes.kill(id, { graceMs: 0 })
      return "one that is over and two that run"
    },
  },
  {
    id: "background.unknown",
    promise: "a process that was never started is not_found",
    needs,
    async run({ workspace: { processes } }) {
      const ways = {
        status: processes.status("process-x"),
        wait: processes.wait("process-x"),
        output: processes.output("process-x"),
        kill: processes.kill("process-x"),
      }
      for (const [name, work] of Object.entries(ways)) {
        const error = await rejectionOf(name, work)
        const kind = error instanceof ToolFailure ? error.kind : String(error)
        requireEqual(`the failure of ${name}`, kind, "not_found")
      }
      return Object.keys(ways).join(", ")
    },
  },
  {
    id: "background.survives",
    promise: "a process in the background survives the commands that come after it",
    needs,
    async run({ workspace }) {
      const { id, pid } = await workspace.processes.start(tickInto("ticks"))
      await workspace.exec("true")
      await workspace.exec("sleep 5", { timeoutMs: 300 })
      const signal = AbortSignal.timeout(300)
      await rejectionOf("the aborted command", workspace.exec("sleep 5", { signal }))
      const { size } = await workspace.stat("ticks")
      await pause(limits.conformance.stillMs)
      requireThat((await workspace.stat("ticks")).size > size, "it does not go on")
      requireThat(await isAlive(workspace, pid), `there is no process ${pid} any more`)
      await workspace.processes.kill(id, { graceMs: 0 })
      return "after a command that ended, one that timed out and one that was aborted"
    },
  },
  {
    id: "background.destroy",
    promise: "a process in the background is ended when its sandbox is destroyed",
    needs,
    run: (subject) => withOutside(({ directory }) => endedByDestroy(subject, directory)),
  },
]

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
