import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { limits, ownFileProblem, ToolFailure } from "../../../contract/index.ts"
import { type Clock, createId, quoteArguments } from "../../../kit/index.ts"
import { feed } from "../../commands/feed.ts"
import {
  afterEvents,
  CommandOutput,
  outcomeOf,
  waitForDrain,
  waitForStop,
} from "../../commands/watch-command.ts"
import type { CommandOutcome, CommandRun, OperationControl } from "../../host/operation.ts"
import { WorkspaceError } from "../../host/workspace-error.ts"
import { sandboxLimits } from "../../limits.ts"
import { DiskFull } from "../disk/disk-full.ts"
import type { Agent, AgentRun } from "./agent.ts"
import { type AgentCommand, commandFields } from "./command-fields.ts"
import type { Exchange, Slot, SlotPipes } from "./exchange.ts"

/** What the commands of one sandbox share. */
export interface AgentScope {
  readonly agent: Agent
  readonly exchange: Exchange
  readonly clock: Clock
  /** Aborts when the sandbox goes to sleep or is being destroyed, with what a command is to answer. */
  readonly closing: AbortSignal
  /** Outputs of commands that are over, held open by children that go on. */
  readonly leftOpen: Set<CommandOutput>
  /** The largest file that a command may write. */
  readonly fileBytes: number
}

/** Runs one command through the agent, until it ends or has to be ended. */
export async function runCommand(
  operation: AgentCommand,
  control: OperationControl,
  scope: AgentScope,
): Promise<CommandOutcome> {
  const { agent, exchange } = scope
  const id = createId("command")
  const fields = commandFields(operation, id, scope.fileBytes)
  const slot = await exchange.take()
  const given = control.input ?? longInput(operation, exchange)
  const pipes = handOver(slot, exchange, () => {
    exchange.write(slot, fields, given ? null : operation.stdin)
    return slot.open(given !== undefined)
  })
  const output = new CommandOutput(pipes, operation.maxOutputBytes, control.onOutput)
  const run = agent.run(slot.number, pipes.stdin !== null)
  const input = pipes.stdin && given && feed(pipes.stdin, given, run.opened)
  const exited = run.answer.then((said) => (said.kind === "exited" ? said.exitCode : 1))
  const { signal } = control
  const stopAsking = askAgain(run, scope.clock)
  const stop = await waitForStop({ operation, signal, leader: { exited }, output, scope })
  stopAsking()
  if (stop.kind !== "exited")
    await endCommand(run, id, { ...scope, graceMs: graceOf(control, scope) })
  input?.stop()
  pipes.release()
  const isClosed = await waitForDrain(output, scope.clock)
  if (input || hasSecrets(operation)) exchange.forget(slot)
  // What the command left behind would read the input of the next.
  if (isClosed && !(input && (await slot.hasReader()))) exchange.giveBack(slot)
  const said = await run.answer
  if (said.kind === "no-directory") throw await noDirectory(operation.cwd, control, scope)
  if (said.kind === "agent-gone" && stop.kind === "exited") throw agentGone(said.why)
  const captured = output.captured()
  output.discard()
  leaveOpen(output, scope.leftOpen)
  return outcomeOf(signal.aborted ? { kind: "aborted" } : stop, captured, scope.closing)
}

/** A command that fills the disk gets no time to go on with it. */
function graceOf(
  { graceMs }: OperationControl,
  { closing }: AgentScope,
): (() => number) | undefined {
  return closing.reason instanceof DiskFull ? () => 0 : graceMs
}

/** A disk or a table of files that is full takes no command; the slot is as free as before. */
function handOver(slot: Slot, exchange: Exchange, write: () => SlotPipes): SlotPipes {
  try {
    return write()
  } catch (cause) {
    exchange.forget(slot)
    exchange.giveBack(slot)
    const said = cause instanceof Error ? cause.message : String(cause)
    const reason = ownFileProblem(cause) ?? said.slice(0, 100)
    const message = `The command could not be handed to the sandbox: ${reason}`
    throw new ToolFailure({ kind: "unavailable", message }, { cause })
  }
}

/** What is too long to be handed over as a file. */
function longInput(
  { stdin }: CommandRun,
  { fileInputBytes }: Exchange,
): ReadableStream<Uint8Array> | undefined {
  if (stdin.length <= fileInputBytes) return undefined
  return new ReadableStream({
    start(controller) {
      controller.enqueue(stdin)
      controller.close()
    },
  })
}

function hasSecrets({ env, stdin }: CommandRun): boolean {
  return stdin.length > 0 || Object.keys(env).length > 0
}

/** A command can kill the process that reports it; then only the agent knows that it is over. */
function askAgain(run: AgentRun, clock: Clock): () => void {
  let cancel = () => {}
  const later = () => {
    cancel = clock.after(sandboxLimits.askMs, () => {
      run.ask()
      later()
    })
  }
  later()
  return () => cancel()
}

/** Asks the whole group and everything that left it to end, waits, and kills what is left. */
async function endCommand(
  run: AgentRun,
  id: string,
  {
    agent,
    clock,
    graceMs,
  }: Pick<AgentScope, "agent" | "clock"> & Pick<OperationControl, "graceMs">,
): Promise<void> {
  const grace = graceMs?.() ?? limits.terminateGraceMs
  const patience = patienceWith(agent)
  run.terminate(id)
  // A stopped agent has asked nobody to end: there is nothing to wait for.
  if (grace < patience) await resolves(run.answer, grace, clock)
  else if (!(await isOver(run.answer, run, agent, clock))) {
    await resolves(run.answer, grace - patience, clock)
  }
  // Also when the command itself is over: what left its group may have stayed.
  const killed = run.kill(id)
  let ended = agent.ended()
  for (let asks = 1; !(await isOver(killed, run, agent, clock)); asks += 1) {
    // In a crowd that is being killed, one command after the other ends.
    if (agent.ended() > ended) asks = 0
    ended = agent.ended()
    if (!agent.isReachable()) asks = 0
    // It says something, but has no room to end anything.
    if (asks === sandboxLimits.killAsks) agent.kill()
  }
}

/** A command can stop the agent, or leave it no room to fork: then everything goes. */
async function isOver(
  end: Promise<unknown>,
  run: AgentRun,
  agent: Agent,
  clock: Clock,
): Promise<boolean> {
  const heard = agent.heard()
  run.ask()
  const hasEnded = await resolves(end, patienceWith(agent), clock)
  // While no word gets through, nobody can tell; the connection comes back, or the agent counts as gone.
  if (!hasEnded && agent.heard() === heard && agent.isReachable()) agent.kill()
  return hasEnded
}

/** A crowd can take all processes there are: then bash waits for seconds before it tries again to fork. */
function patienceWith(agent: Agent): number {
  const { agentAnswerMs, crowdCommands } = sandboxLimits
  const patience = agent.running() > crowdCommands ? limits.terminateGraceMs : agentAnswerMs
  return patience * slowness()
}

/** How many want each processor now: an agent that gets none is not stopped. What is inside can add to it, so it is bounded. */
function slowness(): number {
  try {
    // Such as "0.20 0.18 0.12 3/80 11206": 3 of 80 want a processor.
    const running = readFileSync("/proc/loadavg", "latin1").split(" ")[3] ?? ""
    const each = Number.parseInt(running, 10) / availableParallelism() || 1
    return Math.min(Math.max(each, 1), sandboxLimits.mostSlowness)
  } catch {
    return 1
  }
}

/** Whether it resolves within this time. */
async function resolves(
  end: Promise<unknown>,
  milliseconds: number,
  clock: Clock,
): Promise<boolean> {
  const passed = Promise.withResolvers<false>()
  const cancel = afterEvents(clock, milliseconds, () => passed.resolve(false))
  const isInTime = await Promise.race([end.then(() => true), passed.promise])
  cancel()
  return isInTime
}

/** One process could hold the pipes of every command, and with them all of this process's files. */
function leaveOpen(output: CommandOutput, leftOpen: Set<CommandOutput>): void {
  leftOpen.add(output)
  output.closed.then(() => leftOpen.delete(output))
  const [oldest] = leftOpen
  if (leftOpen.size > sandboxLimits.outputsLeftOpen) oldest?.close()
}

function agentGone(why: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `${why} while the command ran; it is started again.`,
  })
}

async function noDirectory(
  path: string,
  { signal }: OperationControl,
  scope: AgentScope,
): Promise<WorkspaceError> {
  const exists = { ...whether, command: `[[ -e ${quoteArguments([path])} ]]` }
  const { exitCode } = await runCommand(exists, { signal, onOutput: () => {} }, scope)
  return new WorkspaceError(exitCode === 0 ? "not-directory" : "not-found", path)
}

const whether: CommandRun = {
  kind: "command.run",
  command: "",
  cwd: "/",
  env: {},
  stdin: new Uint8Array(),
  // Only an agent that lies says that it takes longer.
  timeoutMs: limits.killWaitMs,
  idleTimeoutMs: null,
  maxOutputBytes: 1024,
}
