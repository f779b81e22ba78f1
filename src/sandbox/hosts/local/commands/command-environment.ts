import { homedir, tmpdir } from "node:os"
import { ToolFailure } from "../../../../contract/index.ts"
import { refuseShellVariables } from "../../../commands/refused-variables.ts"
import { markValue, markVariable } from "./process-table.ts"

export type Environment = Readonly<Record<string, string | undefined>>

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/**
 * What a command sees of this process's environment, by name, because everything else may be a secret:
 * where programs are, where they store their settings and temporary files, and that text is UTF-8.
 * TERM says that nobody draws on a screen here. What the caller gives comes on top.
 */
export function commandEnvironment(
  own: Environment,
  given: Readonly<Record<string, string>>,
  ids: readonly string[],
): Record<string, string> {
  refuseShellVariables(given)
  for (const [name, value] of Object.entries(given)) refuseImpossible(name, value)
  return {
    PATH: own.PATH || defaultPath,
    HOME: own.HOME || homedir(),
    LANG: own.LANG || "C.UTF-8",
    TERM: "dumb",
    TMPDIR: own.TMPDIR || tmpdir(),
    ...given,
    [markVariable]: markValue(own, ids),
  }
}

function refuseImpossible(name: string, value: string): void {
  if (name !== "" && !/[=\0]/.test(name) && !value.includes("\0")) return
  throw new ToolFailure({
    kind: "invalid_args",
    message: `The environment variable ${JSON.stringify(name.slice(0, 40))} can't be set.`,
    field: "env",
    expected: 'names without "=", and no NUL characters',
  })
}
