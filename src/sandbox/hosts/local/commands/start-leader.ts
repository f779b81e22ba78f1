import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { constants } from "node:os"
import type { Writable } from "node:stream"
import type { OutputStreams } from "../../../commands/command-output.ts"
import type { CommandRun, OperationControl } from "../../../host/operation.ts"
import { commandArguments } from "./command-arguments.ts"
import { commandEnvironment } from "./command-environment.ts"
import type { CommandScope } from "./command-scope.ts"
import type { ProcessGroup } from "./end-processes.ts"
import { openInput } from "./open-input.ts"
import { openOutput } from "./open-output.ts"
import { openStreamedInput } from "./open-streamed-input.ts"
import { type StartRefusal, startRefusal } from "./start-refusal.ts"

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
  const input = streamed
    ? await openStreamedInput(scope.fifos)
    : await openInput(operation.stdin, scope.temporaryDirectory)
  const output = await openOutput(scope.fifos)
  try {
    signal.throwIfAborted()
    scope.closing.throwIfAborted()
    // Detached makes it the leader of a group of its own, so that its children end with it.
    const stdio = [input.stdin, ...output.stdio]
    const child = spawn(program, rest, { argv0, cwd, env, stdio, detached: true })
    if (child.pid === undefined) throw (await once(child, "error"))[0]
    const group = ownGroup(child, child.pid, scope)
    const exited = exitOf(child)
    const streams = output.connect(child)
    return { kind: "started", group, exited, streams, input: input.connect(child) }
  } catch (error) {
    output.abandon()
    input.abandon()
    signal.throwIfAborted()
    return startRefusal(error, program, cwd)
  } finally {
    input.close()
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
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
}
