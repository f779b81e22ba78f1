import { ToolFailure } from "../../../contract/index.ts"
import type { CommandRun } from "../../host/operation.ts"
import type { Script } from "./threads/thread-messages.ts"

/** What the shell is given to run, or the failure that says why it can't run. */
export function createScript(run: CommandRun): Script {
  if (run.idleTimeoutMs !== null) throw noIdleTimeout()
  const command = typeof run.command === "string" ? text(run.command) : words(run.command)
  const env = Object.entries(run.env).map(([name, value]) => [text(name), text(value)])
  return { command, cwd: run.cwd, env: Object.fromEntries(env), stdin: run.stdin }
}

function words(command: readonly string[]): readonly [string, ...string[]] {
  const [name, ...parameters] = command.map(text)
  if (name === undefined) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: "The command is an empty list.",
      field: "command",
      expected: 'the name of a program, then its arguments, such as ["ls", "-l"]',
    })
  }
  return [name, ...parameters]
}

function text(value: string): string {
  if (value.includes("\0")) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: "The command or its environment contains a NUL character, which no program can get.",
      field: "command",
    })
  }
  // Half a surrogate pair would stand for a byte inside the shell.
  return value.toWellFormed()
}

function noIdleTimeout(): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message:
      "The memory host shows a command's output at its end, so it can't tell when a command is idle.",
    field: "idleTimeoutMs",
    expected: "timeoutMs, a deadline for the whole command",
  })
}
