import { type OutputChunk, ToolFailure } from "../../../contract/index.ts"
import { createDeadline, withAbort, withTimeout } from "../../../kit/index.ts"
import { CapturedOutput } from "../../commands/watch-command.ts"
import type { CommandOutcome, CommandRun, OperationControl } from "../../host/operation.ts"
import { memoryHostLimits } from "../../limits.ts"
import type { ShellThread, ThreadEnd } from "./threads/shell-thread.ts"
import type { Script } from "./threads/thread-messages.ts"
import { sandboxGone, type ThreadPool } from "./threads/thread-pool.ts"

/** Runs a command on a thread of its own until its end, its deadline or the caller's abort. */
export async function runCommand(
  run: CommandRun,
  control: OperationControl,
  pool: ThreadPool,
): Promise<CommandOutcome> {
  const script = createScript(run)
  const output = new ShownOutput(run.maxOutputBytes, control.onOutput)
  const thread = await takeThread(run, control, pool)
  if (thread === null) return timedOut(run, output)
  using deadline = createDeadline(run.timeoutMs, { signal: control.signal })
  const ended = thread.run(script, (chunk) => output.push(chunk))
  const end = await withAbort(ended, deadline.signal).catch((error: unknown) => {
    if (deadline.signal.aborted) return null
    throw error
  })
  if (end?.kind === "exited") {
    pool.giveBack(thread)
    return { exitCode: end.exitCode, ...output.captured(), ending: { kind: "exited" } }
  }
  if (end === null) await collectPartialOutput(thread, ended)
  await pool.discard(thread)
  if (end !== null) return endedBadly(end, output, pool.memoryBytes)
  if (deadline.isOver()) return timedOut(run, output)
  return { exitCode: 143, ...output.captured(), ending: { kind: "aborted" } }
}

/** A thread that is ready to run; null when none becomes free in time. */
async function takeThread(
  run: CommandRun,
  { signal }: OperationControl,
  pool: ThreadPool,
): Promise<ShellThread | null> {
  const { timeoutMs } = run
  const waitMs = timeoutMs === null ? null : timeoutMs + memoryHostLimits.startMs
  using deadline = createDeadline(waitMs, { signal })
  const thread = await pool.take(deadline.signal).catch((error: unknown) => {
    if (deadline.isOver()) return null
    throw error
  })
  if (thread === null) return null
  try {
    // The command has not started yet, so the start of its thread does not count against its timeout.
    await withAbort(thread.ready, signal)
    return thread
  } catch (error) {
    pool.giveBack(thread)
    throw error
  }
}

function timedOut({ timeoutMs }: CommandRun, output: ShownOutput): CommandOutcome {
  const ending = { kind: "timed-out", afterMs: timeoutMs ?? 0 } as const
  return { exitCode: 124, ...output.captured(), ending }
}

/** Gives a script that has to end a moment to deliver what it has printed. */
async function collectPartialOutput(thread: ShellThread, ended: Promise<ThreadEnd>): Promise<void> {
  thread.askToStop()
  await withTimeout(ended, memoryHostLimits.partialOutputMs, { otherwise: () => null })
}

function endedBadly(
  end: Exclude<ThreadEnd, { kind: "exited" }>,
  output: ShownOutput,
  memoryBytes: number,
): CommandOutcome {
  switch (end.kind) {
    case "out-of-memory": {
      const megabytes = Math.floor(memoryBytes / 1024 / 1024)
      const sentence = `Ended: the command used more than ${megabytes} MiB of memory.\n`
      output.push({ stream: "stderr", bytes: new TextEncoder().encode(sentence) })
      return { exitCode: 137, ...output.captured(), ending: { kind: "exited" } }
    }
    case "failed":
      throw new ToolFailure({
        kind: "execution_error",
        message: `The virtual shell could not run the command: ${end.message}`,
      })
    case "terminated":
      throw end.failure ?? sandboxGone()
    default:
      return end satisfies never
  }
}

/** What the shell is given to run, or the failure that says why it can't run. */
function createScript(run: CommandRun): Script {
  if (run.idleTimeoutMs !== null) throw noIdleTimeout()
  const command = typeof run.command === "string" ? text(run.command) : words(run.command)
  const env = Object.entries(run.env).map(([name, value]) => [text(name), text(value)])
  return { command, cwd: run.cwd, env: Object.fromEntries(env), stdin: run.stdin }
}

function words(command: readonly string[]): readonly [string, ...string[]] {
  const [name, ...parameters] = command.map(text)
  if (name === undefined) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: "The command is an empty list.",
      field: "command",
      expected: 'the name of a program, then its arguments, such as ["ls", "-l"]',
    })
  }
  return [name, ...parameters]
}

function text(value: string): string {
  if (value.includes("\0")) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: "The command or its environment contains a NUL character, which no program can get.",
      field: "command",
    })
  }
  // Half a surrogate pair would stand for a byte inside the shell.
  return value.toWellFormed()
}

function noIdleTimeout(): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message:
      "The memory host shows a command's output at its end, so it can't tell when a command is idle.",
    field: "idleTimeoutMs",
    expected: "timeoutMs, a deadline for the whole command",
  })
}

/** What a command printed: shown to the caller and captured as far as the limit allows. */
class ShownOutput extends CapturedOutput {
  readonly #onOutput: OperationControl["onOutput"]
  #failure: { readonly error: unknown } | null = null

  constructor(maxBytes: number, onOutput: OperationControl["onOutput"]) {
    super(maxBytes)
    this.#onOutput = onOutput
  }

  override push(chunk: OutputChunk): void {
    super.push(chunk)
    try {
      this.#onOutput(chunk)
    } catch (error) {
      // Output arrives in an event; thrown there, the error would end the process.
      this.#failure ??= { error }
    }
  }

  override captured() {
    if (this.#failure) throw this.#failure.error
    return super.captured()
  }
}
