import type { Terminal } from "../output/terminal.ts"
import type { Arguments } from "./read-arguments.ts"

export interface Flag {
  readonly name: string
  /** The placeholder for the value in help; absent for a switch. */
  readonly value?: string
  readonly about: string
}

/** A command of `toolkeep`. Help and parsing are derived from it. */
export interface Command {
  readonly name: string
  readonly usage: string
  readonly about: string
  /** More lines for the command's own help. */
  readonly more?: string
  readonly positionals: { readonly least: number; readonly most: number }
  readonly flags: readonly Flag[]
  /** Loads the command's code when it runs. */
  readonly load: () => Promise<CommandRun>
}

/** Resolves with the exit code: 0 for ok, 1 for a failure, 2 for a wrong command line. */
export type CommandRun = (given: Arguments, terminal: Terminal) => Promise<number>

/** The command line is wrong: printed on standard error, with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}
