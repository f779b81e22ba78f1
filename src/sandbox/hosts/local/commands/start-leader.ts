import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { access, constants, stat } from "node:fs/promises"
import { homedir, constants as systemConstants, tmpdir } from "node:os"
import type { Writable } from "node:stream"
import { ToolFailure } from "../../../../contract/index.ts"
import type { Clock } from "../../../../kit/index.ts"
import { refuseShellVariables } from "../../../commands/refused-variables.ts"
import { scriptArguments } from "../../../commands/script-arguments.ts"
import type { CommandOutput, OutputStreams } from "../../../commands/watch-command.ts"
import type { CommandRun, OperationControl } from "../../../host/operation.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { errnoOf, fileError } from "../file-error.ts"
import { openStreams } from "./command-streams.ts"
import type { ProcessGroup } from "./end-processes.ts"
import type { FifoStore } from "./fifo-store.ts"
import { type Environment, markValue, markVariable, type ProcessTable } from "./process-table.ts"

/** The first process of a command, and the process group that it leads. */
export interface Leader {
  readonly kind: "started"
  readonly group: ProcessGroup
  /** Its exit code; 128 and the signal's number when a signal ended it. */
  readonly exited: Promise<number>
  readonly streams: OutputStreams
  /** Where a streamed input is written to. */
  readonly input: Writable | null
}

export async function startLeader(
  operation: CommandRun,
  { signal, input: streamed }: OperationControl,
  { id, scope }: { readonly id: string; readonly scope: CommandScope },
): Promise<Leader | StartRefusal> {
  const { cwd, command } = operation
  const [program, ...rest] = commandArguments(command, scope.bash)
  // Messages of bash begin with this name.
  const argv0 = typeof command === "string" ? "bash" : program
  const env = commandEnvironment(scope.environment, operation.env, [scope.id, id])
  const { fifos, temporaryDirectory } = scope
  const stdin = streamed ? null : operation.stdin
  const { stdio, connect, abandon } = await openStreams({ stdin, fifos, temporaryDirectory })
  try {
    signal.throwIfAborted()
    scope.closing.throwIfAborted()
    // Detached makes it the leader of a group of its own, so that its children end with it.
    const child = spawn(program, rest, { argv0, cwd, env, stdio, detached: true })
    if (child.pid === undefined) throw (await once(child, "error"))[0]
    const group = ownGroup(child, child.pid, scope)
    return { kind: "started", group, exited: exitOf(child), ...connect(child) }
  } catch (error) {
    abandon()
    signal.throwIfAborted()
    return startRefusal(error, program, cwd)
  }
}

/** Destroying the sandbox ends the groups that it owns. */
function ownGroup(child: ChildProcess, id: number, scope: CommandScope): ProcessGroup {
  const { groups, processes } = scope
  const group = { id, isLed: () => child.exitCode === null && child.signalCode === null }
  groups.add(group)
  child.once("exit", () => {
    // Where marks can be seen they tell what is left of a group; elsewhere only its number does.
    if (processes.showsMarks || processes.living([-id]).length === 0) groups.delete(group)
  })
  return group
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      resolve(code ?? 128 + (signal ? systemConstants.signals[signal] : 0))
    })
  })
}

/** The system would not start the program: what a shell answers in its place. */
interface StartRefusal {
  readonly kind: "refused"
  readonly exitCode: 126 | 127
  readonly message: string
}

const refusals: Readonly<Record<string, Omit<StartRefusal, "kind">>> = {
  ENOENT: { exitCode: 127, message: "command not found" },
  ENOTDIR: { exitCode: 127, message: "not found: part of its path is not a directory" },
  EACCES: { exitCode: 126, message: "permission denied: not an executable file" },
  EPERM: { exitCode: 126, message: "operation not permitted" },
  EISDIR: { exitCode: 126, message: "is a directory" },
  ENOEXEC: { exitCode: 126, message: "not a program that this system can run" },
  E2BIG: { exitCode: 126, message: "the arguments and the environment are too long" },
  ENAMETOOLONG: { exitCode: 126, message: "file name too long" },
  ELOOP: { exitCode: 126, message: "too many levels of symbolic links" },
  ETXTBSY: { exitCode: 126, message: "the file is being written to" },
}

/** Throws when the fault lies elsewhere: the directory, or this machine. */
async function startRefusal(error: unknown, program: string, cwd: string): Promise<StartRefusal> {
  if (error instanceof ToolFailure) throw error
  await requireDirectory(cwd)
  const errno = errnoOf(error) ?? ""
  const refusal = refusals[errno]
  if (refusal) return { kind: "refused", ...refusal, message: `${program}: ${refusal.message}\n` }
  throw new ToolFailure(
    {
      kind: "execution_error",
      message: `The command could not be started${errno && ` (${errno})`}: this machine may be out of processes, memory or open files.`,
    },
    { cause: error },
  )
}

/** The system says the same of a missing directory as of a missing program. */
async function requireDirectory(cwd: string): Promise<void> {
  try {
    if (!(await stat(cwd)).isDirectory()) throw new WorkspaceError("not-directory", cwd)
    await access(cwd, constants.X_OK)
  } catch (error) {
    throw fileError(error, cwd)
  }
}

/** What to start: the list as it is, or bash with the text as its script. */
function commandArguments(
  command: string | readonly string[],
  bash: string,
): readonly [program: string, ...rest: string[]] {
  const parts = typeof command === "string" ? [command] : command
  if (parts.some((part) => part.includes("\0"))) throw refused("The command contains a NUL.")
  if (typeof command !== "string") {
    const [program, ...rest] = command
    if (!program) throw refused("The command is empty.")
    return [program, ...rest]
  }
  // "--" ends bash's options: the text may itself begin with a dash.
  const shell = [bash, "--noprofile", "--norc", "-c", "--"] as const
  return [...shell, ...scriptArguments(command)]
}

function refused(message: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, field: "command" })
}

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

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/**
 * What a command sees of this process's environment, by name, because everything else may be a secret:
 * where programs are, where they store their settings and temporary files, and that text is UTF-8.
 * TERM says that nobody draws on a screen here. What the caller gives comes on top.
 */
function commandEnvironment(
  own: Environment,
  given: Readonly<Record<string, string>>,
  ids: readonly string[],
): Record<string, string> {
  refuseShellVariables(given)
  for (const [name, value] of Object.entries(given)) refuseImpossible(name, value)
  return {
    PATH: own.PATH || defaultPath,
    HOME: own.HOME || homedir(),
    LANG: own.LANG || "C.UTF-8",
    TERM: "dumb",
    TMPDIR: own.TMPDIR || tmpdir(),
    ...given,
    [markVariable]: markValue(own, ids),
  }
}

function refuseImpossible(name: string, value: string): void {
  if (name !== "" && !/[=\0]/.test(name) && !value.includes("\0")) return
  throw new ToolFailure({
    kind: "invalid_args",
    message: `The environment variable ${JSON.stringify(name.slice(0, 40))} can't be set.`,
    field: "env",
    expected: 'names without "=", and no NUL characters',
  })
}
