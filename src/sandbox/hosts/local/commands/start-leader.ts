import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { constants } from "node:os"
import type { CommandRun } from "../../../operation.ts"
import { commandArguments } from "./command-arguments.ts"
import { commandEnvironment } from "./command-environment.ts"
import type { CommandScope } from "./command-scope.ts"
import type { ProcessGroup } from "./end-processes.ts"
import { type CommandStreams, openStreams } from "./open-streams.ts"
import { type StartRefusal, startRefusal } from "./start-refusal.ts"

/** The first process of a command, and the process group that it leads. */
export interface Leader {
  readonly kind: "started"
  readonly group: ProcessGroup
  /** Its exit code; 128 and the signal's number when a signal ended it. */
  readonly exited: Promise<number>
  readonly streams: CommandStreams
}

export async function startLeader(
  operation: CommandRun,
  id: string,
  scope: CommandScope,
): Promise<Leader | StartRefusal> {
  const [program, ...rest] = commandArguments(operation.command, scope.bash)
  const env = commandEnvironment(scope.environment, operation.env, [scope.id, id])
  const { cwd } = operation
  const opened = await openStreams(scope.fifos, operation.stdin.length > 0)
  try {
    // Detached makes it the leader of a group of its own, so that its children end with it.
    const child = spawn(program, rest, { cwd, env, stdio: opened.stdio, detached: true })
    if (child.pid === undefined) throw (await once(child, "error"))[0]
    return lead(child, child.pid, opened.connect(child))
  } catch (error) {
    opened.abandon()
    return startRefusal(error, program, cwd)
  }
}

function lead(child: ChildProcess, id: number, streams: CommandStreams): Leader {
  const isLed = () => child.exitCode === null && child.signalCode === null
  const exited = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) => {
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
  return { kind: "started", group: { id, isLed }, exited, streams }
}
