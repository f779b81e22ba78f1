import { createId } from "../../../../kit/index.ts"
import { feed } from "../../../commands/feed.ts"
import {
  CommandOutput,
  outcomeOf,
  type Stop,
  waitForDrain,
  waitForStop,
} from "../../../commands/watch-command.ts"
import type { CommandOutcome, CommandRun, OperationControl } from "../../../host/operation.ts"
import { endProcesses } from "./end-processes.ts"
import { type CommandScope, type Leader, startLeader } from "./start-leader.ts"

const nothing = { head: new Uint8Array(), tail: new Uint8Array(), omitted: 0 }

export async function runCommand(
  operation: CommandRun,
  control: OperationControl,
  scope: CommandScope,
): Promise<CommandOutcome> {
  const { signal, onOutput } = control
  const id = createId("command")
  const leader = await startLeader(operation, control, { id, scope })
  if (leader.kind === "refused") {
    await control.input?.cancel().catch(() => {})
    const stderr = { ...nothing, head: new TextEncoder().encode(leader.message) }
    return { exitCode: leader.exitCode, stdout: nothing, stderr, ending: { kind: "exited" } }
  }
  const output = new CommandOutput(leader.streams, operation.maxOutputBytes, onOutput)
  const input = leader.input && control.input ? feed(leader.input, control.input) : null
  const stop = await waitForStop({ operation, signal, leader, output, scope })
  if (stop.kind === "exited") {
    input?.stop()
    await waitForDrain(output, scope.clock)
    if (!signal.aborted) return exited(stop.exitCode, output, scope)
  }
  await endAll(stop, { id, leader, scope }, control)
  input?.stop()
  await waitForDrain(output, scope.clock)
  output.close()
  return outcomeOf(signal.aborted ? { kind: "aborted" } : stop, output.captured(), scope.closing)
}

interface Command {
  readonly id: string
  readonly leader: Leader
  readonly scope: CommandScope
}

async function endAll(
  stop: Stop,
  { id, leader, scope }: Command,
  { signal, graceMs }: OperationControl,
): Promise<void> {
  if (stop.kind === "closed") return scope.closed
  const { groups, processes, clock } = scope
  const own = groups.has(leader.group) ? [leader.group] : []
  // The caller that aborts decides how long that may take; a deadline has its own time.
  const grace = signal.aborted ? graceMs?.() : undefined
  await endProcesses({ mark: id, groups: own, processes, clock, graceMs: grace })
}

function exited(exitCode: number, output: CommandOutput, scope: CommandScope): CommandOutcome {
  const captured = output.captured()
  output.discard()
  scope.leftOpen.add(output)
  output.closed.then(() => scope.leftOpen.delete(output))
  output.throwIfBroken()
  return { exitCode, ...captured, ending: { kind: "exited" } }
}
