import {
  type CallContext,
  type Capabilities,
  defineTool,
  object,
  withoutProperties,
} from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../arguments.ts"
import { processLimits } from "../limits.ts"
import { commandArgument, cwdArgument, envArgument, stdinArgument } from "./command-arguments.ts"
import { type ProcessResult, processResult, processSchema, showProcess } from "./process-result.ts"
import { startDirectory, withPipefail } from "./run-to-end.ts"

const inputSchema = object({
  command: {
    ...commandArgument,
    description: "For bash; with args, a program.",
  },
  "args?": {
    type: "array",
    maxItems: processLimits.arguments,
    items: { type: "string", minLength: 0 },
    description: 'Its arguments, which no shell reads, such as ["run", "dev"].',
  },
  "cwd?": cwdArgument,
  "env?": envArgument,
  "stdin?": stdinArgument,
  "open_stdin?": {
    type: "boolean",
    description: "Leaves its input open, for process.write.",
  },
  "sandbox?": sandboxArgument,
})

/** process.start: a command that goes on after the call. */
export function startTool(can: Capabilities) {
  return defineTool({
    name: "process.start",
    title: "Start a process",
    description:
      "Starts a command in the background and answers at once with its pid and log_file (all its output). " +
      'It ends by itself, by process.kill, or when its sandbox sleeps. Example: {"command": "python3 -m http.server 8000", "cwd": "site"}.',
    input: withoutProperties(inputSchema, [
      ...(can.argumentLists ? [] : ["args"]),
      ...(can.liveInput ? [] : ["open_stdin"]),
    ]),
    output: processSchema,
    groups: ["runtime"],
    effects: ["execute"],
    pathArguments: ["cwd"],
    sandbox: namedSandbox,
    run: startProcess,
    show: showProcess,
  })
}

export interface ProcessRequest {
  readonly command: string
  /** With them, command is a program and no shell reads either. */
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly open_stdin?: boolean
}

/** Starts a command that goes on after the call, with the environment that it would have in the foreground. */
export async function startProcess(
  request: ProcessRequest,
  context: CallContext,
): Promise<ProcessResult> {
  const { signal } = context
  const workspace = await context.workspace()
  const cwd = await startDirectory(workspace, request.cwd, signal)
  const { command, args, env, stdin, open_stdin: openInput } = request
  const program = args === undefined ? withPipefail(command) : [command, ...args]
  return processResult(
    await workspace.processes.start(program, { cwd, env, stdin, openInput, signal }),
  )
}
