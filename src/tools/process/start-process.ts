import type { CallContext } from "../../contract/index.ts"
import { type ProcessResult, processResult } from "./process-result.ts"
import { startDirectory, withPipefail } from "./run-to-end.ts"

export interface ProcessRequest {
  readonly command: string
  /** With them, command is a program and no shell reads either. */
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

/** Starts a command that goes on after the call, with the environment that it would have in the foreground. */
export async function startProcess(
  request: ProcessRequest,
  context: CallContext,
): Promise<ProcessResult> {
  const { signal } = context
  const workspace = await context.workspace()
  const cwd = await startDirectory(workspace, request.cwd, signal)
  const { command, args, env, stdin } = request
  const program = args === undefined ? withPipefail(command) : [command, ...args]
  return processResult(await workspace.processes.start(program, { cwd, env, stdin, signal }))
}
