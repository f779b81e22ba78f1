import { ToolFailure } from "../../contract/index.ts"

/**
 * Variables by which a shell runs or reads something else than the command that was asked for: a file, their
 * own value, or the command under other rules. What is judged is the command.
 */
const refused: ReadonlySet<string> = new Set(["BASH_ENV", "BASHOPTS", "PS4", "SHELLOPTS"])

/** A shell would run something beside the command if a call could set these for it. */
export function refuseShellVariables(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(env)) {
    if (!refused.has(name)) continue
    throw new ToolFailure({
      kind: "invalid_args",
      message: `The environment variable "${name}" can't be set for a command: the shell would run or read something else than that command.`,
      field: "env",
      expected: `other names; a command can set it itself, such as "export ${name}=value; program"`,
    })
  }
}
