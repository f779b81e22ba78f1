import type { Clock } from "../../../../kit/index.ts"
import type { CommandOutput } from "../../../commands/watch-command.ts"
import type { Environment } from "./command-environment.ts"
import type { ProcessGroup } from "./end-processes.ts"
import type { FifoStore } from "./fifo-store.ts"
import type { ProcessTable } from "./process-table.ts"

/** What the commands of one sandbox share. */
export interface CommandScope {
  /** Carried by every process of the sandbox. */
  readonly id: string
  readonly clock: Clock
  readonly bash: string
  /** This process's own; a command gets only what is named in commandEnvironment. */
  readonly environment: Environment
  readonly temporaryDirectory: string
  readonly fifos: FifoStore
  readonly processes: ProcessTable
  /** The groups that have to be ended with the sandbox. */
  readonly groups: Set<ProcessGroup>
  /** Outputs of commands that have ended, held open by children that go on. */
  readonly leftOpen: Set<CommandOutput>
  /** Aborts when the sandbox goes to sleep or is being destroyed, with what a command is to answer. */
  readonly closing: AbortSignal
  /** Resolves when nothing of the sandbox runs any more. */
  readonly closed: Promise<void>
}
