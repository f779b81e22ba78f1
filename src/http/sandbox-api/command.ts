import {
  type FailureDetails,
  type OutputChunk,
  requirePath,
  ToolFailure,
  type Workspace,
} from "../../contract/index.ts"
import { quoteArguments } from "../../kit/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import type { UsableSandbox } from "./api-sandboxes.ts"

/** How a command is doing. Timeouts, interruptions and failures have the exit codes that a shell would give them. */
export type CommandState =
  | { readonly kind: "running" }
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "timed-out"; readonly exitCode: number; readonly afterMs: number }
  | { readonly kind: "interrupted"; readonly exitCode: number }
  /** The call itself failed: nobody knows how the command ended. */
  | { readonly kind: "failed"; readonly failure: FailureDetails }

/** A command of a client, as it was asked for. */
export interface ApiCommand {
  readonly id: string
  readonly command: string
  readonly startedMs: number
  readonly endedMs: number | null
  readonly state: CommandState
}

export interface CommandRequest {
  /** A string is read by bash, a list is run as it is. */
  readonly command: string | readonly string[]
  readonly cwd?: string | undefined
  /** Beside what all commands of the sandbox have. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly timeoutMs?: number | undefined
}

export interface ForegroundRequest extends CommandRequest {
  readonly stdin?: string | Uint8Array | ReadableStream<Uint8Array> | undefined
  /** Ends the command, such as one whose client is gone. */
  readonly signal?: AbortSignal | undefined
  /** Nothing more of a stream is read until a promise that it returns is kept. */
  readonly onOutput: (chunk: OutputChunk) => void | Promise<void>
}

export interface ForegroundCommand {
  readonly id: string
  /** Resolves when the command may run; rejects with a ToolFailure when it was refused. */
  readonly opened: Promise<void>
  /** Never rejects. */
  readonly ended: Promise<Exclude<CommandState, { readonly kind: "running" }>>
}

/** The commands of sandboxes of another API: each is a call of shell.exec. */
export interface ApiCommands {
  run(sandbox: UsableSandbox, request: ForegroundRequest): ForegroundCommand
  /** Resolves when it runs, and goes on after that; rejects with a ToolFailure. Its timeout counts from then. */
  start(sandbox: UsableSandbox, request: CommandRequest): Promise<ApiCommand>
  /** Fails with not_found. Of those that have ended, the last are known. */
  status(sandbox: UsableSandbox, id: string): Promise<ApiCommand>
  /** What one in the background has written, both streams, from a byte on. */
  output(
    sandbox: UsableSandbox,
    id: string,
    range: { readonly from: number; readonly signal: AbortSignal },
  ): Promise<{ readonly bytes: Uint8Array; readonly next: number }>
  /** Ends it; false where it had ended. Fails with not_found. */
  interrupt(sandbox: UsableSandbox, id: string): Promise<boolean>
  /** Forgets what it knows of a sandbox. */
  forget(sandbox: string): void
}

/** What shell.exec takes of a command. */
export interface JudgedCommand {
  readonly command: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly timeout_ms?: number
}

/** What is judged, recorded and shown to a person: the command as a shell would read it. */
export function judgedInput({ command, cwd, env = {}, timeoutMs }: CommandRequest): JudgedCommand {
  return {
    command: shownCommand(command),
    ...(cwd !== undefined && { cwd }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
  }
}

export function shownCommand(command: CommandRequest["command"]): string {
  return typeof command === "string" ? command : quoteArguments(command)
}

/** The list as it was given, unless a person has written another command. */
export function chosenCommand(
  { command }: JudgedCommand,
  asked: CommandRequest,
): CommandRequest["command"] {
  return shownCommand(asked.command) === command ? asked.command : command
}

/** Where a command starts; undefined for the sandbox's own directory. */
export async function startDirectory(
  workspace: Workspace,
  cwd: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (cwd === undefined) return undefined
  const path = requirePath(cwd, workspace, "cwd")
  const { type } = await workspace.stat(path, { signal })
  if (type !== "directory") throw new WorkspaceError("not-directory", path)
  return path
}

export function noSuchCommand(id: string): ToolFailure {
  const message = `The sandbox has no command ${JSON.stringify(id.slice(0, 100))}.`
  return new ToolFailure({ kind: "not_found", message })
}
