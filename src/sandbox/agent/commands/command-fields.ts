import { ToolFailure } from "../../../contract/index.ts"
import { quoteArguments } from "../../../kit/index.ts"
import { refuseShellVariables } from "../../commands/refused-variables.ts"
import { scriptArguments } from "../../commands/script-arguments.ts"
import type { CommandRun } from "../../host/operation.ts"
import { injectedFirst } from "./require-programs.ts"

/** Carried by every program that a command starts, so that one which leaves its group is still found. */
export const markVariable = "TOOLKEEP_COMMAND"

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A command, or a script of Toolkeep's own, which ends itself at an error: it is always forked, which is faster. */
export type AgentCommand = CommandRun & { readonly isOwnScript?: true }

/** Directory, preparation and command, as the agent reads them. */
export function commandFields(
  operation: AgentCommand,
  id: string,
  fileBytes: number,
): readonly string[] {
  const { cwd, env } = operation
  const start = `ulimit -f ${Math.floor(fileBytes / 1024)} 2>/dev/null\nexport ${markVariable}=${id}`
  const variables = Object.entries(env)
  if (variables.length > 0) requireNames(env)
  const fields = variables.some(([name]) => needsNewShell(name))
    ? [cwd, start, inNewShell(operation, variables)]
    : [cwd, [start, ...variables.map(exported)].join("\n"), inForkedShell(operation)]
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

/**
 * Whether a command could tell that its shell was forked and not started: by its number, by a file, or by how it ends.
 * A started shell goes on with the next line after an error in an expansion, and has other exit codes for some.
 */
function tellsFork(command: string): boolean {
  return (
    /\$\$|\$\{\$|PPID|SHLVL|BASH_SUBSHELL|\beval\b|\bsource\b|(^|[\s;&|({])\.\s/.test(command) ||
    /\btrap\b|nounset|execfail/.test(command) ||
    command.trim().includes("\n") ||
    expansions(command).some((inner) => inner.includes("?")) ||
    command.split(/[\n;&|]/).some(setsUnsetError)
  )
}

/** What stands behind each "${", up to the next one or its end. */
function expansions(command: string): string[] {
  return command
    .split("${")
    .slice(1)
    .map((rest) => rest.split("}", 1)[0] ?? "")
}

/** `set -u`, alone or with other options. */
function setsUnsetError(simpleCommand: string): boolean {
  const at = simpleCommand.search(/\bset\b/)
  return at !== -1 && /\s-\w*u/.test(simpleCommand.slice(at))
}

/** "--" ends bash's options: a command that begins with a dash is none. */
const newShell = "/bin/bash --noprofile --norc -c --"

/** A forked shell has the number of the agent it came from; a command that could see that gets a shell of its own. */
function inForkedShell({ command, isOwnScript }: AgentCommand): string {
  if (typeof command !== "string") return `exec -- ${quoteArguments(command)}`
  if (isOwnScript || !tellsFork(command)) return command
  return `exec ${newShell} ${quoteArguments(scriptArguments(command))}`
}

/** As if the variables had been there before the shell: found by the agent's own search path, not by theirs. */
function inNewShell({ command }: AgentCommand, variables: readonly Variable[]): string {
  const set = quoteArguments(variables.map(([name, value]) => `${name}=${value}`))
  const words =
    typeof command === "string" ? scriptArguments(command) : ['exec -- "$@"', "bash", ...command]
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
