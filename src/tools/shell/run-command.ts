import type { CallContext } from "../../contract/index.ts"
import { withPipefail } from "../process/start-command.ts"
import { type ProgramEnd, type ProgramRun, runToEnd } from "./run-to-end.ts"

export type CommandRequest = Omit<ProgramRun, "start">

export interface CommandResult extends ProgramEnd {
  readonly kind: "command"
}

/** Runs a command in the foreground: a model sees it as a shell's user would. */
export async function runCommand(
  request: CommandRequest,
  context: CallContext,
): Promise<CommandResult> {
  const command = withPipefail(request.command)
  const end = await runToEnd(
    { ...request, start: (workspace, options) => workspace.exec(command, options) },
    context,
  )
  return { kind: "command" as const, ...end }
}
