import { setTimeout as pause } from "node:timers/promises"
import { conformanceLimits } from "../../limits.ts"
import { defineChecks } from "../../measure/conformance-check.ts"
import { requireEqual, requireFailure, requireThat } from "../../measure/require.ts"
import { isAlive, requireGone, tickInto, whenExists } from "../../measure/running-work.ts"
import { requireSoon, startStopwatch, warmUp } from "../../measure/stopwatch.ts"

/** Commands that nobody waits for. */
const backgroundPromises = {
  start: "a process in the background is started at once, and its number is alive inside",
  "list-arguments": "a list of arguments is started as it is, without a shell",
  settings: "a process in the background has the directory, variables and input it is given",
  output: "output is read from a byte on while the process goes on writing",
  "exit-code": "a process in the background is running until it has exited with its code",
  wait: "waiting for a process ends at its deadline while the process goes on",
  "log-file": "the output of a process, both streams, is a file of the sandbox",
  list: "all processes in the background are listed, those that are over too",
  unknown: "a process that was never started is not_found",
}

export const background = defineChecks("background", backgroundPromises, {
  async start({ workspace }) {
    await warmUp(workspace)
    const elapsed = startStopwatch()
    const { id, pid, state } = await workspace.processes.start("sleep 6")
    const elapsedMs = elapsed()
    requireSoon("its start", elapsedMs)
    requireEqual("its state", state, { kind: "running" })
    requireThat(await isAlive(workspace, pid), `there is no process ${pid} inside`)
    await workspace.processes.kill(id, { graceMs: 0 })
    await requireGone(workspace, pid)
    return `started after ${elapsedMs} ms beside a sleep of 6 s`
  },
  async "list-arguments"({ workspace }) {
    const words = ["printf", "%s|", "$HOME", "two words", "it's", "*", ""]
    const { id } = await workspace.processes.start(words)
    await workspace.processes.wait(id)
    const { text } = await workspace.processes.output(id)
    requireEqual("its output", text, "$HOME|two words|it's|*||")
    return "printf with five odd words"
  },
  async settings({ workspace, sandbox }) {
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
  async output(subject) {
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
  async "exit-code"({ workspace }) {
    const { id } = await workspace.processes.start("until [ -e go ]; do sleep 0.05; done; exit 42")
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
  async wait(subject) {
    const { workspace } = subject
    const { id } = await workspace.processes.start(tickInto("ticks"))
    const elapsed = startStopwatch()
    const { state } = await workspace.processes.wait(id, { timeoutMs: 700 })
    const elapsedMs = elapsed()
    requireEqual("its state", state, { kind: "running" })
    requireThat(elapsedMs >= 695, `the wait was over after ${elapsedMs} ms`)
    requireSoon("the wait", elapsedMs)
    await whenExists(subject, "ticks")
    const { size } = await workspace.stat("ticks")
    await pause(conformanceLimits.stillMs)
    requireThat((await workspace.stat("ticks")).size > size, "it does not go on")
    await workspace.processes.kill(id, { graceMs: 0 })
    return `${elapsedMs} ms of 700 ms, and it went on`
  },
  async "log-file"({ workspace }) {
    const { id, logFile } = await workspace.processes.start("echo out; echo err >&2")
    await workspace.processes.wait(id)
    requireEqual("the file", await workspace.readFile(logFile), "out\nerr\n")
    const { stdout } = await workspace.exec('cat "$LOG"', { env: { LOG: logFile } })
    requireEqual("the file, read by a command", stdout, "out\nerr\n")
    return logFile
  },
  async list({ workspace }) {
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
  async unknown({ workspace: { processes } }) {
    const ways = {
      status: processes.status("process-x"),
      wait: processes.wait("process-x"),
      output: processes.output("process-x"),
      kill: processes.kill("process-x"),
    }
    for (const [name, work] of Object.entries(ways)) {
      await requireFailure(name, work, "not_found")
    }
    return Object.keys(ways).join(", ")
  },
})
