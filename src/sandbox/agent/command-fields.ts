import { ToolFailure } from "../../contract/index.ts"
import type { CommandRun } from "../operation.ts"
import { quoteArguments } from "../quote-arguments.ts"

/** Carried by every program that a command starts, so that one which leaves its group is still found. */
const markVariable = "TOOLKEEP_COMMAND"

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Directory, preparation and command, as the agent reads them. */
export function commandFields(
  operation: CommandRun,
  id: string,
  fileBytes: number,
): readonly string[] {
  const { cwd, command, env } = operation
  const script =
    typeof command === "string" ? shellScript(command) : `exec -- ${quoteArguments(command)}`
  const words = [...Object.entries(env), [markVariable, id] as const]
  const preparation = [
    `ulimit -f ${Math.floor(fileBytes / 1024)} 2>/dev/null`,
    ...words.map(exportLine),
  ]
  const fields = [cwd, preparation.join("\n"), script]
  if (fields.some((field) => field.includes("\0"))) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: "The command contains a NUL character.",
    })
  }
  return fields
}

/** Whether a command could tell that its shell was forked and not started: by number, or by a file. */
const looksAtItself = /\$\$|\$\{\$|PPID|SHLVL|BASH_SUBSHELL|\beval\b|\bsource\b|(^|[\s;&|({])\.\s/

/** A forked shell has the number of the agent it came from; who could see that gets one of its own. */
function shellScript(command: string): string {
  if (!looksAtItself.test(command)) return command
  return `exec /bin/bash --noprofile --norc -c ${quoteArguments([command])} bash`
}

function exportLine([name, value]: readonly [string, string]): string {
  if (!variableName.test(name)) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `The environment variable ${JSON.stringify(name.slice(0, 40))} can't be set.`,
      field: "env",
      expected: "letters, digits and _ in names",
    })
  }
  return `export ${name}=${quoteArguments([value])}`
}
