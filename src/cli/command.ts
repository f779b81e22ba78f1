import type { Arguments } from "./read-arguments.ts"
import type { Terminal } from "./terminal.ts"

export interface Flag {
  readonly name: string
  /** What stands for the value in help; absent for a switch. */
  readonly value?: string
  readonly about: string
}

/** One thing `toolkeep` can do. Help and parsing come from this table. */
export interface Command {
  readonly name: string
  readonly usage: string
  readonly about: string
  /** What its own help says beside that. */
  readonly more?: string
  readonly positionals: { readonly least: number; readonly most: number }
  readonly flags: readonly Flag[]
  /** Loads what the command needs only when it runs. */
  readonly load: () => Promise<CommandRun>
}

/** Resolves with the exit code: 0 for ok, 1 for a failure, 2 for misuse. */
export type CommandRun = (given: Arguments, terminal: Terminal) => Promise<number>
