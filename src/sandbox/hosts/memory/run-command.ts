import { limits, ToolFailure } from "../../../contract/index.ts"
import { systemClock } from "../../../kit/index.ts"
import type { CommandOutcome, CommandRun, OperationControl } from "../../operation.ts"
import { CollectedOutput } from "./collected-output.ts"
import { createScript } from "./create-script.ts"
import type { ShellThread, ThreadEnd } from "./threads/shell-thread.ts"
import { sandboxGone, type ThreadPool } from "./threads/thread-pool.ts"
import { waitForAbort } from "./wait-for-abort.ts"

/** Runs a command on a thread of its own until its end, its deadline or the caller's abort. */
export async function runCommand(
  run: CommandRun,
  control: OperationControl,
  pool: ThreadPool,
): Promise<CommandOutcome> {
  const script = createScript(run)
  const output = new CollectedOutput(run.maxOutputBytes, control.onOutput)
  const thread = await takeThread(run, control, pool)
  if (thread === null) return timedOut(run, output)
  const deadline = startDeadline(run.timeoutMs)
  const stop = waitForAbort(control.signal, deadline.signal)
  try {
    const ended = thread.run(script, (chunk) => output.push(chunk))
    const end = await Promise.race([ended, stop.aborted])
    if (end?.kind === "exited") {
      pool.giveBack(thread)
      return { exitCode: end.exitCode, ...output.captured(), ending: { kind: "exited" } }
    }
    if (end === null && !control.signal.aborted) await handOver(thread, ended)
    await pool.discard(thread)
    if (end !== null) return endedBadly(end, output, pool.memoryBytes)
  } finally {
    stop.release()
    deadline.cancel()
  }
  control.signal.throwIfAborted()
  return timedOut(run, output)
}

/** A thread that is ready to run; null when none becomes free in time. */
async function takeThread(
  run: CommandRun,
  { signal }: OperationControl,
  pool: ThreadPool,
): Promise<ShellThread | null> {
  const { timeoutMs } = run
  const deadline = startDeadline(timeoutMs && timeoutMs + limits.memoryHost.startMs)
  const stop = waitForAbort(signal)
  try {
    const thread = await pool.take(AbortSignal.any([signal, deadline.signal]))
    // The command has not started, so what it takes to start a thread is not taken from its time.
    await Promise.race([thread.ready, stop.aborted])
    if (!signal.aborted) return thread
    pool.giveBack(thread)
    throw signal.reason
  } catch (error) {
    if (error !== deadline.signal.reason) throw error
    return null
  } finally {
    stop.release()
    deadline.cancel()
  }
}

function timedOut({ timeoutMs }: CommandRun, output: CollectedOutput): CommandOutcome {
  const ending = { kind: "timed-out", afterMs: timeoutMs ?? 0 } as const
  return { exitCode: 124, ...output.captured(), ending }
}

/** Gives a script that is out of time a moment to deliver what it has printed. */
async function handOver(thread: ShellThread, ended: Promise<ThreadEnd>): Promise<void> {
  thread.askToStop()
  let cancel = () => {}
  const patience = new Promise<null>((resolve) => {
    cancel = systemClock.after(limits.memoryHost.partialOutputMs, () => resolve(null))
  })
  await Promise.race([ended, patience])
  cancel()
}

function endedBadly(
  end: Exclude<ThreadEnd, { kind: "exited" }>,
  output: CollectedOutput,
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

function startDeadline(timeoutMs: number | null): { signal: AbortSignal; cancel: () => void } {
  const controller = new AbortController()
  if (timeoutMs === null) return { signal: controller.signal, cancel: () => {} }
  const cancel = systemClock.after(timeoutMs, () => controller.abort())
  return { signal: controller.signal, cancel }
}
