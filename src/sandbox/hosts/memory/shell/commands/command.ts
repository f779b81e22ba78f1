import {
  type Command,
  defineCommand,
  type ExecResult,
  type ResolvedCommandContext,
} from "just-bash"

type Execute = (parameters: string[], context: ResolvedCommandContext) => Promise<ExecResult>

/** A command of ours, which gets no more rights than the shell's own. */
export function command(name: string, execute: Execute): Command {
  return defineCommand(name, execute, { trusted: false })
}

/** The shell's own command of the same name. */
export async function original(
  { origCommand }: ResolvedCommandContext,
  parameters: string[],
): Promise<ExecResult> {
  return (await origCommand?.(parameters)) ?? refused("not available")
}

export function printed(stdout: string): ExecResult {
  return { stdout, stderr: "", exitCode: 0 }
}

export function refused(message: string, exitCode = 1): ExecResult {
  return { stdout: "", stderr: `${message}\n`, exitCode }
}
