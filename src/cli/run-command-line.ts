import { inspect } from "node:util"
import { DefinitionError, ownFileProblem, ToolFailure } from "../contract/index.ts"
import { suggest } from "../kit/index.ts"
import { version } from "../session/index.ts"
import { commands } from "./commands/commands.ts"
import { type Command, commandHelp, helpText, readArguments, UsageError } from "./flags/command.ts"
import type { Terminal } from "./output/terminal.ts"

/** Runs one command line and resolves with its exit code. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(argv, terminal)
  } catch (error) {
    const { message, exitCode } = describeError(error)
    terminal.note(`toolkeep: ${message}\n`)
    return exitCode
  }
}

/**
 * In a sentence what a person can mend. What is left is a defect of Toolkeep, and says where it is: here and not
 * by Node, which would print whatever a message quotes as it is.
 */
function describeError(error: unknown): { readonly message: string; readonly exitCode: number } {
  if (error instanceof UsageError || error instanceof DefinitionError) {
    return { message: error.message, exitCode: 2 }
  }
  if (error instanceof ToolFailure) return { message: error.message, exitCode: 1 }
  const problem = ownFileProblem(error)
  if (problem === null) return { message: `unexpected error: ${inspect(error)}`, exitCode: 1 }
  const path = error instanceof Error && "path" in error ? `${String(error.path)}: ` : ""
  return { message: `${path}${problem}`, exitCode: 1 }
}

async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    await terminal.print(helpText(commands))
    return name === undefined ? 2 : 0
  }
  if (name === "--version" || name === "-v") {
    await terminal.print(`${version}\n`)
    return 0
  }
  const command = findCommand(name)
  const given = readArguments(command, rest)
  if (given.is("help")) {
    await terminal.print(commandHelp(command))
    return 0
  }
  const execute = await command.load(given)
  const asJson = given.is("json") || !terminal.forPeople
  return execute(given, { ...terminal, forPeople: !asJson })
}

function findCommand(name: string): Command {
  const command = commands.find((one) => one.name === name)
  if (command) return command
  const names = commands.map((one) => one.name)
  throw new UsageError(`there is no command ${JSON.stringify(name)}; ${suggest(name, names)}`)
}
