import { parseArgs } from "node:util"
import { nearest } from "../../kit/index.ts"
import type { Terminal } from "../output/terminal.ts"

export interface Flag {
  readonly name: string
  /** The placeholder for the value in help; absent for a switch. */
  readonly value: string | undefined
  readonly about: string
}

/** A flag as help shows it: "host HOST" takes a value, "json" is a switch. */
export function flag(usage: string, about: string): Flag {
  const [name = "", value] = usage.split(" ")
  return { name, value, about }
}

/** Every command takes it. */
export const helpFlag = flag("help", "show this help")

/** A command of `toolkeep`. Help and parsing are derived from it. */
export interface Command {
  readonly name: string
  readonly usage: string
  readonly about: string
  /** More lines for the command's own help. */
  readonly more?: string
  /** How many arguments it takes: at least, and at most. */
  readonly positionals: readonly [number, number]
  readonly flags: readonly Flag[]
  /** Loads the command's code when it runs. */
  readonly load: (given: Arguments) => Promise<CommandRun>
}

/** Resolves with the exit code: 0 for ok, 1 for a failure, 2 for a wrong command line. */
export type CommandRun = (given: Arguments, terminal: Terminal) => Promise<number>

/** The command line is wrong: printed on standard error, with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

export interface Arguments {
  readonly positionals: readonly string[]
  /** The value of a flag, undefined when it was not given. */
  text(flag: string): string | undefined
  /** All values of a flag that may be given several times. */
  texts(flag: string): readonly string[]
  is(flag: string): boolean
  /** The names of the flags that were given. */
  readonly flags: readonly string[]
}

/** Reads a command's arguments; whatever the command does not know is a UsageError. */
export function readArguments(command: Command, argv: readonly string[]): Arguments {
  const flags = [...command.flags, helpFlag]
  const options = Object.fromEntries(
    flags.map((flag) => [flag.name, { type: flag.value ? "string" : "boolean" } as const]),
  )
  const parsed = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of parsed.tokens) {
    if (token.kind === "option") checkFlag(token, flags, command)
  }
  const { values, positionals } = parsed
  checkPositionals(command, positionals, values.help === true)
  return {
    positionals,
    text: (flag) => (typeof values[flag] === "string" ? values[flag] : undefined),
    texts: (flag) =>
      parsed.tokens.flatMap((token) =>
        token.kind === "option" && token.name === flag ? (token.value ?? []) : [],
      ),
    is: (flag) => values[flag] === true,
    flags: Object.keys(values),
  }
}

interface FlagToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
}

function checkFlag(token: FlagToken, flags: readonly Flag[], command: Command): void {
  const flag = flags.find(({ name }) => name === token.name)
  if (!flag) {
    const names = flags.map(({ name }) => name)
    const close = nearest(token.name, names)
    const hint = close ? `did you mean --${close}?` : `see toolkeep ${command.name} --help.`
    throw new UsageError(`toolkeep ${command.name} has no flag ${token.rawName}; ${hint}`)
  }
  const missing = flag.value !== undefined && (token.value === undefined || token.value === "")
  if (missing) throw new UsageError(`${token.rawName} needs a value: --${flag.name} ${flag.value}.`)
  if (!flag.value && token.value !== undefined) {
    throw new UsageError(`${token.rawName} takes no value.`)
  }
}

function checkPositionals(command: Command, given: readonly string[], helpWanted: boolean): void {
  if (helpWanted) return
  const [least, most] = command.positionals
  if (given.length >= least && given.length <= most) return
  const problem = given.length < least ? "missing arguments" : "too many arguments"
  throw new UsageError(
    `${problem} after toolkeep ${command.name}; it is used as: toolkeep ${command.usage}`,
  )
}

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
  const flags = [...command.flags, helpFlag].map(
    ({ name, value, about }) => [`--${[name, value].join(" ").trim()}`, about] as const,
  )
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

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
