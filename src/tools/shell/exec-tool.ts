import {
  type CallContext,
  type Capabilities,
  defineTool,
  type InferSchema,
  limits,
  type Tool,
} from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { withoutProperties } from "../without-properties.ts"
import { runCommand } from "./run-command.ts"

const inputSchema = {
  type: "object",
  properties: {
    command: {
      type: "string",
      minLength: 1,
      maxLength: limits.command.characters,
      description: 'A command or a script for bash, such as "npm test 2>&1 | tail -n 40".',
    },
    cwd: {
      type: "string",
      minLength: 1,
      description:
        'The directory to run in, such as "packages/web". Without it, the workspace\'s own. A cd is forgotten after the call.',
    },
    env: {
      type: "object",
      patternProperties: { "^[A-Za-z_][A-Za-z0-9_]*$": { type: "string", minLength: 0 } },
      additionalProperties: false,
      description: 'Environment variables to add, such as {"CI": "1"}.',
    },
    stdin: {
      type: "string",
      minLength: 0,
      description: "Text for the command's standard input. Without it, there is none.",
    },
    timeout_ms: {
      type: "integer",
      minimum: 1,
      maximum: limits.command.timeoutMsMost,
      description:
        "End the command after this many milliseconds, such as 60000. Without it, it may run as long as it needs.",
    },
    idle_timeout_ms: {
      type: "integer",
      minimum: 1,
      maximum: limits.command.timeoutMsMost,
      description:
        "End the command when it has written nothing for this many milliseconds, such as 120000.",
    },
    sandbox: sandboxArgument,
  },
  required: ["command"],
  additionalProperties: false,
} as const

export type ExecInput = InferSchema<typeof inputSchema>

/** shell.exec: a command in the foreground. A non-zero exit is a result, not a failure. */
export function execTool(can: Capabilities): Tool {
  return defineTool({
    name: "shell.exec",
    title: "Run a command",
    description:
      "Runs a bash command and waits for it. Answers with stdout, stderr, exit_code and cwd; exit_code 124 and timed_out " +
      `mean that a timeout ended it. A pipe fails when any part fails (pipefail). Each stream is cut to its head and tail at ${limits.command.streamBytes} bytes. ` +
      'Example: {"command": "npm test", "timeout_ms": 300000}.',
    inputSchema: withoutProperties(inputSchema, can.liveOutput ? [] : ["idle_timeout_ms"]),
    groups: ["runtime"],
    effects: ["execute"],
    timeoutMs: null,
    sandbox: namedSandbox,
    run: (input: ExecInput, context: CallContext) => runCommand(input, context),
  })
}
