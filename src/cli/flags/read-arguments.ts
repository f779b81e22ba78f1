import { parseArgs } from "node:util"
import { nearest } from "../../kit/index.ts"
import type { Command, Flag } from "./command.ts"
import { UsageError } from "./command.ts"

export interface Arguments {
  readonly positionals: readonly string[]
  /** The value of a flag, undefined when it was not given. */
  text(flag: string): string | undefined
  is(flag: string): boolean
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
    is: (flag) => values[flag] === true,
  }
}

export const helpFlag: Flag = { name: "help", about: "show this help" }

interface FlagToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
}

function checkFlag(token: FlagToken, flags: readonly Flag[], command: Command): void {
  const flag = flags.find(({ name }) => name === token.name)
  if (!flag) {
    const close = nearest(
      token.name,
      flags.map(({ name }) => name),
    )
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
  const { least, most } = command.positionals
  if (given.length >= least && given.length <= most) return
  const problem = given.length < least ? "missing arguments" : "too many arguments"
  throw new UsageError(
    `${problem} after toolkeep ${command.name}; it is used as: toolkeep ${command.usage}`,
  )
}
