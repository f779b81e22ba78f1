import { limits } from "../../../../contract/index.ts"
import { createId } from "../../../../kit/index.ts"
import { afterEvents } from "../../../commands/after-events.ts"
import { CommandOutput } from "../../../commands/command-output.ts"
import { type Stop, waitForStop } from "../../../commands/wait-for-stop.ts"
import type { CommandOutcome, CommandRun, OperationControl } from "../../../operation.ts"
import { sandboxClosed } from "../../../sandbox-closed.ts"
import type { CommandScope } from "./command-scope.ts"
import { endProcesses } from "./end-processes.ts"
import { type Leader, startLeader } from "./start-leader.ts"

const nothing = { head: new Uint8Array(), tail: new Uint8Array(), omitted: 0 }
const timeoutExitCode = 124

export async function runCommand(
  operation: CommandRun,
  control: OperationControl,
  scope: CommandScope,
): Promise<CommandOutcome> {
  const { signal, onOutput } = control
  const id = createId("command")
  const leader = await startLeader(operation, signal, { id, scope })
  if (leader.kind === "refused") {
    const stderr = { ...nothing, head: new TextEncoder().encode(leader.message) }
    return { exitCode: leader.exitCode, stdout: nothing, stderr, ending: { kind: "exited" } }
  }
  const output = new CommandOutput(leader.streams, operation.maxOutputBytes, onOutput)
  const stop = await waitForStop({ operation, signal, leader, output, scope })
  if (stop.kind === "exited") {
    await drain(output, scope)
    if (!signal.aborted) return exited(stop.exitCode, output, scope)
  }
  await endAll(stop, { id, leader, scope })
  await drain(output, scope)
  output.close()
  signal.throwIfAborted()
  return ended(stop, output)
}

/** What was written before the exit is still read; who keeps the streams open longer is not waited for. */
async function drain(output: CommandOutput, { clock }: CommandScope): Promise<void> {
  const { promise: passed, resolve } = Promise.withResolvers<void>()
  const cancel = afterEvents(clock, limits.drainMs, resolve)
  await Promise.race([output.closed, passed])
  cancel()
}

interface Command {
  readonly id: string
  readonly leader: Leader
  readonly scope: CommandScope
}

async function endAll(stop: Stop, { id, leader, scope }: Command): Promise<void> {
  if (stop.kind === "closed") return scope.closed
  const { groups, processes, clock } = scope
  const own = groups.has(leader.group) ? [leader.group] : []
  await endProcesses({ mark: id, groups: own, processes, clock })
}

function exited(exitCode: number, output: CommandOutput, scope: CommandScope): CommandOutcome {
  const captured = output.captured()
  output.discard()
  scope.leftOpen.add(output)
  output.closed.then(() => scope.leftOpen.delete(output))
  output.throwIfBroken()
  return { exitCode, ...captured, ending: { kind: "exited" } }
}

function ended(stop: Stop, output: CommandOutput): CommandOutcome {
  switch (stop.kind) {
    case "timed-out":
    case "idle":
      return { exitCode: timeoutExitCode, ...output.captured(), ending: stop }
    case "broken":
      throw stop.error
    case "closed":
      throw sandboxClosed()
    case "exited":
    case "aborted":
      throw new Error("A command that was not aborted was ended as if it were.")
    default:
      return stop satisfies never
  }
}
