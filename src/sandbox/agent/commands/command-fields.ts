import { ToolFailure } from "../../../contract/index.ts"
import { quoteArguments } from "../../../kit/index.ts"
import { refuseShellVariables } from "../../commands/refused-variables.ts"
import type { CommandRun } from "../../host/operation.ts"
import { injectedFirst } from "./require-programs.ts"

/** Carried by every program that a command starts, so that one which leaves its group is still found. */
export const markVariable = "TOOLKEEP_COMMAND"

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Directory, preparation and command, as the agent reads them. */
export function commandFields(
  operation: CommandRun,
  id: string,
  fileBytes: number,
): readonly string[] {
  const { cwd, command, env } = operation
  const start = `ulimit -f ${Math.floor(fileBytes / 1024)} 2>/dev/null\nexport ${markVariable}=${id}`
  const variables = Object.entries(env)
  if (variables.length > 0) requireNames(env)
  const fields = variables.some(([name]) => needsNewShell(name))
    ? [cwd, start, inNewShell(command, variables)]
    : [cwd, [start, ...variables.map(exported)].join("\n"), inForkedShell(command)]
  if (fields.some((field) => field.includes("\0"))) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: "The command contains a NUL character.",
    })
  }
  return fields
}

type Variable = readonly [name: string, value: string]

function exported([name, value]: Variable): string {
  return `export ${name}=${quoteArguments([value])}`
}

/** Whether a command could tell that its shell was forked and not started: by number, or by a file. */
const looksAtItself = /\$\$|\$\{\$|PPID|SHLVL|BASH_SUBSHELL|\beval\b|\bsource\b|(^|[\s;&|({])\.\s/

/** "--" ends bash's options: a command that begins with a dash is none. */
const newShell = "/bin/bash --noprofile --norc -c --"

/** A forked shell has the number of the agent it came from; a command that could see that gets a shell of its own. */
function inForkedShell(command: CommandRun["command"]): string {
  if (typeof command !== "string") return `exec -- ${quoteArguments(command)}`
  if (!looksAtItself.test(command)) return command
  return `exec ${newShell} ${quoteArguments([command])} bash`
}

/** As if the variables had been there before the shell: found by the agent's own search path, not by theirs. */
function inNewShell(command: CommandRun["command"], variables: readonly Variable[]): string {
  const set = quoteArguments(variables.map(([name, value]) => `${name}=${value}`))
  const words =
    typeof command === "string" ? [command, "bash"] : ['exec -- "$@"', "bash", ...command]
  return `exec -- "$(${injectedFirst}; type -P env)" ${set} ${newShell} ${quoteArguments(words)}`
}

function requireNames(env: CommandRun["env"]): void {
  refuseShellVariables(env)
  for (const name of Object.keys(env)) {
    if (variableName.test(name) && name !== markVariable) continue
    throw new ToolFailure({
      kind: "invalid_args",
      message: `The environment variable ${JSON.stringify(name.slice(0, 40))} can't be set.`,
      field: "env",
      expected: `letters, digits and _ in names, and not ${markVariable}, by which Toolkeep finds a command's processes`,
    })
  }
}

/**
 * Variables that bash sets, computes or heeds itself, and those that the loader and the C library read when a
 * program starts. Set in a shell that runs already they fail, vanish or act in another way than in a shell
 * that starts with them. All else is the same in both, and a fork is faster than a start.
 */
const special: ReadonlySet<string> = new Set(
  [
    "_ CHILD_MAX COLUMNS COMPREPLY COPROC DIRSTACK EMACS EPOCHREALTIME EPOCHSECONDS EUID EXECIGNORE",
    "FCEDIT FIGNORE FUNCNAME FUNCNEST GLOBIGNORE GLOBSORT GROUPS HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF",
    "INPUTRC INSIDE_EMACS LINENO LINES MACHTYPE MAILCHECK MAILPATH MAPFILE OLDPWD OPTARG OPTERR OPTIND",
    "OSTYPE PIPESTATUS POSIXLY_CORRECT POSIX_PEDANTIC PPID PROMPT_COMMAND PROMPT_DIRTRIM PS0 PS1 PS2 PS3 PWD",
    "RANDOM REPLY SECONDS SHLVL SRANDOM TEXTDOMAIN TEXTDOMAINDIR TIMEFORMAT TMOUT UID",
    "auto_resume histchars ignoreeof GCONV_PATH GLIBC_TUNABLES LOCPATH NLSPATH",
  ].flatMap((line) => line.split(" ")),
)

const specialFamilies = /^(BASH|COMP_|HIST|LD_|MALLOC_|READLINE_)/

/** Whether only a shell that starts with the variable sees it as it should be. */
function needsNewShell(name: string): boolean {
  return special.has(name) || specialFamilies.test(name)
}
