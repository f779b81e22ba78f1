import { limits, ToolFailure } from "../../contract/index.ts"
import { type Clock, createId } from "../../kit/index.ts"
import { afterEvents } from "../commands/after-events.ts"
import { CommandOutput } from "../commands/command-output.ts"
import { type Stop, waitForStop } from "../commands/wait-for-stop.ts"
import type { CommandOutcome, CommandRun, OperationControl } from "../operation.ts"
import { sandboxClosed } from "../sandbox-closed.ts"
import { WorkspaceError } from "../workspace-error.ts"
import type { Agent, AgentRun } from "./agent.ts"
import { commandFields } from "./command-fields.ts"
import type { Exchange } from "./exchange.ts"

/** What the commands of one sandbox share. */
export interface AgentScope {
  readonly agent: Agent
  readonly exchange: Exchange
  readonly clock: Clock
  /** Aborts when the sandbox is being destroyed. */
  readonly closing: AbortSignal
  /** Outputs of commands that are over, held open by children that go on. */
  readonly leftOpen: Set<CommandOutput>
}

const timeoutExitCode = 124

/** Runs one command through the agent, until it ends or has to be ended. */
export async function runCommand(
  operation: CommandRun,
  control: OperationControl,
  scope: AgentScope,
): Promise<CommandOutcome> {
  const { agent, exchange } = scope
  const slot = await exchange.take()
  const id = createId("command")
  exchange.write(slot, commandFields(operation, id), operation.stdin)
  const output = new CommandOutput(slot.open(), operation.maxOutputBytes, control.onOutput)
  const run = agent.run(slot.number)
  const exited = run.answer.then((said) => (said.kind === "exited" ? said.exitCode : 1))
  const { signal } = control
  const stop = await waitForStop({ operation, signal, leader: { exited }, output, scope })
  if (stop.kind !== "exited") await endCommand(run, id, scope.clock)
  const isClosed = await drained(output, scope.clock)
  if (isClosed) exchange.giveBack(slot)
  const said = await run.answer
  if (said.kind === "no-directory") throw await noDirectory(operation.cwd, scope)
  if (said.kind === "agent-gone" && stop.kind !== "closed") throw agentGone()
  signal.throwIfAborted()
  return outcomeOf(stop, output, scope)
}

/** Asks the whole group and everything that left it to end, waits, and kills what is left. */
async function endCommand(run: AgentRun, id: string, clock: Clock): Promise<void> {
  run.signal("TERM", id)
  const grace = Promise.withResolvers<void>()
  const cancel = clock.after(limits.terminateGraceMs, grace.resolve)
  await Promise.race([run.answer, grace.promise])
  cancel()
  // Also when the command itself is over: what left its group may have stayed.
  run.signal("KILL", id)
  await run.answer
}

/** Whether every writer has closed the pipes; one that holds them longer is not waited for. */
async function drained(output: CommandOutput, clock: Clock): Promise<boolean> {
  const passed = Promise.withResolvers<false>()
  const cancel = afterEvents(clock, limits.drainMs, () => passed.resolve(false))
  const isClosed = await Promise.race([output.closed.then(() => true), passed.promise])
  cancel()
  return isClosed
}

function outcomeOf(stop: Stop, output: CommandOutput, scope: AgentScope): CommandOutcome {
  const captured = output.captured()
  output.discard()
  scope.leftOpen.add(output)
  output.closed.then(() => scope.leftOpen.delete(output))
  switch (stop.kind) {
    case "exited":
      return { exitCode: stop.exitCode, ...captured, ending: { kind: "exited" } }
    case "timed-out":
    case "idle":
      return { exitCode: timeoutExitCode, ...captured, ending: stop }
    case "broken":
      throw stop.error
    case "closed":
      throw sandboxClosed()
    case "aborted":
      throw new Error("A command that was not aborted was ended as if it were.")
    default:
      return stop satisfies never
  }
}

function agentGone(): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: "The sandbox's own process ended while the command ran; it is started anew.",
  })
}

async function noDirectory(path: string, scope: AgentScope): Promise<WorkspaceError> {
  const exists = { ...whether, command: ["test", "-e", path] }
  const control = { signal: scope.closing, onOutput: () => {} }
  const { exitCode } = await runCommand(exists, control, scope)
  return new WorkspaceError(exitCode === 0 ? "not-directory" : "not-found", path)
}

const whether: CommandRun = {
  kind: "command.run",
  command: "",
  cwd: "/",
  env: {},
  stdin: new Uint8Array(),
  timeoutMs: null,
  idleTimeoutMs: null,
  maxOutputBytes: 1024,
}
