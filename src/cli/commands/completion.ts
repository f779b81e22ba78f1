import { suggest } from "../../kit/index.ts"
import { type Command, type CommandRun, helpFlag, UsageError } from "../flags/command.ts"

/** `toolkeep completion`: a script for a shell, derived from the commands and their flags. */
export function completion(commands: readonly Command[]): CommandRun {
  return async (given, terminal) => {
    const [shell = ""] = given.positionals
    const write = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    if (!write) {
      const hint = suggest(shell, Object.keys(scripts))
      throw new UsageError(`there is no completion for ${JSON.stringify(shell)}; ${hint}`)
    }
    await terminal.printAnswer(write(commands))
    return 0
  }
}

type WriteScript = (commands: readonly Command[]) => string

const scripts: Readonly<Record<string, WriteScript>> = { bash, zsh, fish }

const flagsOf = (command: Command) => [...command.flags, helpFlag]

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const flags = flagsOf(command).map(({ name }) => `--${name}`)
    return `      ${command.name}) words="${flags.join(" ")}" ;;`
  })
  return `_toolkeep() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(" ")} --help --version"
  elif [ "\${word#-}" != "$word" ]; then
    case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    esac
  fi
  [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _toolkeep toolkeep
`
}

function zsh(commands: readonly Command[]): string {
  const described = (name: string, about: string) => quoted(`${name}:${about}`)
  const cases = commands.map((command) => {
    const flags = flagsOf(command).map(({ name, about }) => described(`--${name}`, about))
    return `    ${command.name}) found=(${flags.join(" ")}) ;;`
  })
  return `#compdef toolkeep
_toolkeep() {
  local -a found
  if (( CURRENT == 2 )); then
    found=(${commands.map(({ name, about }) => described(name, about)).join(" ")})
    _describe command found
    return
  fi
  case $words[2] in
${cases.join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then _describe -o flag found; else _files; fi
}
compdef _toolkeep toolkeep
`
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c toolkeep -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.about)}`,
    ...flagsOf(command).map(({ name, value, about }) => {
      const takes = value === undefined ? "" : " -r"
      const where = quoted(`__fish_seen_subcommand_from ${command.name}`)
      return `complete -c toolkeep -n ${where} -l ${name}${takes} -d ${quoted(about)}`
    }),
  ])
  return `${lines.join("\n")}\n`
}

/** In single quotes, for each of the three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
