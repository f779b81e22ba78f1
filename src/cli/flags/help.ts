import type { Command, Flag } from "./command.ts"
import { helpFlag } from "./read-arguments.ts"

/** `toolkeep --help`. */
export function helpText(commands: readonly Command[]): string {
  const rows = commands.map(({ usage, about }) => [usage, about] as const)
  return [
    "Toolkeep: tools for AI agents that keep their word.",
    "",
    "Usage: toolkeep <command>",
    "",
    ...table(rows),
    "",
    "toolkeep <command> --help shows the flags of a command, toolkeep --version the version.",
    "Exit codes: 0 success, 1 failure, 2 invalid command line.",
    "",
    "For example:",
    `  toolkeep call shell.exec '{"command": "echo hello"}'`,
    "",
  ].join("\n")
}

/** `toolkeep call --help`. */
export function commandHelp(command: Command): string {
  const flags = [...command.flags, helpFlag].map((flag) => [flagText(flag), flag.about] as const)
  return [
    `Usage: toolkeep ${command.usage} [flags]`,
    "",
    `${command.about.charAt(0).toUpperCase()}${command.about.slice(1)}.`,
    ...(command.more === undefined ? [] : [command.more]),
    "",
    ...table(flags),
    "",
  ].join("\n")
}

function flagText(flag: Flag): string {
  return flag.value ? `--${flag.name} ${flag.value}` : `--${flag.name}`
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
