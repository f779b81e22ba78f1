import {
  type CallLimits,
  defineTool,
  flag,
  integer,
  object,
  type ToolFailure,
  withoutProperties,
} from "../../contract/index.ts"
import { invalidArgument, sandboxArgument } from "../arguments.ts"
import { describeEnvironment, type Environment } from "../describe-environment.ts"
import { commandLimits } from "../limits.ts"
import {
  commandArgument,
  cwdArgument,
  envArgument,
  stdinArgument,
} from "../process/command-arguments.ts"
import { showProcess, startedSchema } from "../process/process-result.ts"
import { endFields, runToEnd, showEnd, streamBytesOf, withPipefail } from "../process/run-to-end.ts"
import { startProcess } from "../process/start-tool.ts"

const inputSchema = ({ commandTimeoutMs }: CallLimits) =>
  object({
    command: commandArgument,
    "cwd?": cwdArgument,
    "env?": envArgument,
    "stdin?": stdinArgument,
    "timeout_ms?": integer(
      `End it after this many milliseconds; without it, ${
        commandTimeoutMs === null ? "never" : `after ${commandTimeoutMs}`
      }.`,
      { minimum: 1, maximum: commandLimits.timeoutMsMost },
    ),
    "idle_timeout_ms?": integer("End it when it has written nothing for so long, such as 120000.", {
      minimum: 1,
      maximum: commandLimits.timeoutMsMost,
    }),
    background: flag(
      "For servers: answer at once with a pid. process.output shows what it writes, process.kill ends it.",
    ),
    "sandbox?": sandboxArgument,
  })

/** What a command in the foreground answers. */
const commandSchema = object({ kind: { const: "command" }, ...endFields })

/** shell.exec: a command in the foreground or in the background. A non-zero exit is a result, not a failure. */
export function execTool(environment: Environment & { readonly limits: CallLimits }) {
  const { can, limits: held } = environment
  const absent = [
    ...(can.liveOutput ? [] : ["idle_timeout_ms"]),
    ...(can.background ? [] : ["background"]),
  ]
  const streamBytes = streamBytesOf(held)
  return defineTool({
    name: "shell.exec",
    title: "Run a command",
    description:
      "Runs a bash command with pipefail and waits for it; exit_code 124 means that a timeout ended it. " +
      `Output over ${streamBytes} bytes keeps its head and tail. ${describeEnvironment(environment)} ` +
      'Example: {"command": "ls -l", "timeout_ms": 300000}.',
    input: withoutProperties(inputSchema(held), absent),
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
          {
            ...input,
            timeout_ms: input.timeout_ms ?? held.commandTimeoutMs ?? undefined,
            streamBytes,
            start: (workspace, options) => workspace.exec(command, options),
          },
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
      result.kind === "command" ? showEnd(result, view, streamBytes) : showProcess(result),
  })
}

function noTimeout(field: string): ToolFailure {
  return invalidArgument(
    field,
    `A command in the background has no ${field}: end it with process.kill when it is to end.`,
    `no ${field} together with background`,
  )
}
