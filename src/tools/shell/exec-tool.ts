import { type Capabilities, defineTool, type ToolFailure } from "../../contract/index.ts"
import { invalidArgument, sandboxArgument } from "../arguments.ts"
import { commandLimits } from "../limits.ts"
import {
  commandArgument,
  cwdArgument,
  envArgument,
  stdinArgument,
} from "../process/command-arguments.ts"
import { showProcess, startedSchema } from "../process/process-result.ts"
import { endFields, runToEnd, showEnd, withPipefail } from "../process/run-to-end.ts"
import { startProcess } from "../process/start-tool.ts"
import { flag, integer, object, withoutProperties } from "../schemas.ts"

const inputSchema = object({
  command: commandArgument,
  "cwd?": cwdArgument,
  "env?": envArgument,
  "stdin?": stdinArgument,
  "timeout_ms?": integer(
    "End the command after this many milliseconds, such as 60000. Without it, it may run as long as it needs.",
    { minimum: 1, maximum: commandLimits.timeoutMsMost },
  ),
  "idle_timeout_ms?": integer(
    "End the command when it has written nothing for this many milliseconds, such as 120000.",
    { minimum: 1, maximum: commandLimits.timeoutMsMost },
  ),
  background: flag(
    "Answer as soon as it is started, with its pid; for servers and watchers. process.output shows what it writes, process.kill ends it.",
  ),
  "sandbox?": sandboxArgument,
})

/** What a command in the foreground answers. */
const commandSchema = object({ kind: { const: "command" }, ...endFields })

/** shell.exec: a command in the foreground or in the background. A non-zero exit is a result, not a failure. */
export function execTool(can: Capabilities) {
  const absent = [
    ...(can.liveOutput ? [] : ["idle_timeout_ms"]),
    ...(can.background ? [] : ["background"]),
  ]
  return defineTool({
    name: "shell.exec",
    title: "Run a command",
    description:
      "Runs a bash command and waits for it. Answers with stdout, stderr, exit_code and cwd; exit_code 124 and timed_out " +
      `mean that a timeout ended it. A pipe fails when any part fails (pipefail). Each stream is cut to its head and tail at ${commandLimits.streamBytes} bytes. ` +
      'Example: {"command": "npm test", "timeout_ms": 300000}.',
    input: withoutProperties(inputSchema, absent),
    output: {
      type: "object",
      oneOf: can.background ? [commandSchema, startedSchema] : [commandSchema],
    },
    groups: ["runtime"],
    effects: ["execute"],
    pathArguments: ["cwd"],
    timeoutMs: null,
    sandbox: (input) => input.sandbox,
    async run(input, context) {
      if (!input.background) {
        const command = withPipefail(input.command)
        const end = await runToEnd(
          { ...input, start: (workspace, options) => workspace.exec(command, options) },
          context,
        )
        return { kind: "command", ...end }
      }
      for (const field of ["timeout_ms", "idle_timeout_ms"] as const) {
        if (input[field] !== undefined) throw noTimeout(field)
      }
      return { ...(await startProcess(input, context)), background: true as const }
    },
    show: (result, view) =>
      result.kind === "command" ? showEnd(result, view) : showProcess(result),
  })
}

function noTimeout(field: string): ToolFailure {
  return invalidArgument(
    field,
    `A command in the background has no ${field}: end it with process.kill when it is to end.`,
    `no ${field} together with background`,
  )
}
