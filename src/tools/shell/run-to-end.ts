import {
  type CallContext,
  type CommandEnding,
  type ExecOptions,
  type ExecResult,
  limits,
  type Workspace,
} from "../../contract/index.ts"
import { systemClock } from "../../kit/index.ts"
import { commandWarnings } from "./command-warnings.ts"
import { fitStream } from "./fit-stream.ts"
import { SeenOutput } from "./seen-output.ts"
import { startDirectory } from "./start-directory.ts"

/** A program that is waited for, and how it is started. */
export interface ProgramRun {
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly stdin?: string | undefined
  readonly timeout_ms?: number | undefined
  readonly idle_timeout_ms?: number | undefined
  /** The shell's words in it, for the warnings on them; "" where no shell reads it. */
  readonly command: string
  readonly start: (workspace: Workspace, options: ExecOptions) => Promise<ExecResult>
}

/** What it printed and how it ended. */
export interface ProgramEnd {
  readonly stdout: string
  readonly stderr: string
  readonly exit_code: number
  readonly cwd: string
  readonly duration_ms: number
  /** A timeout of the call ended it. */
  readonly timed_out?: true
  /** A person ended it. */
  readonly killed_by?: "user"
}

const timedOutCode = 124
/** What a shell reports for a process that SIGTERM ended. */
const terminatedCode = 143

/** Runs a program to its end, whichever end that is, and answers with what it printed. */
export async function runToEnd(run: ProgramRun, context: CallContext): Promise<ProgramEnd> {
  const workspace = await context.workspace()
  const cwd = await startDirectory(workspace, run.cwd, context.signal)
  const seen = new SeenOutput(limits.command.streamBytes)
  const late = startLateTimer(run.timeout_ms)
  const started = performance.now()
  try {
    const result = await run.start(workspace, {
      cwd,
      env: run.env,
      stdin: run.stdin,
      timeoutMs: run.timeout_ms,
      idleTimeoutMs: run.idle_timeout_ms,
      maxOutputBytes: limits.command.streamBytes,
      signal: AbortSignal.any([context.signal, context.terminated, late.signal]),
      onOutput: (chunk) => {
        seen.push(chunk)
        context.output(chunk)
      },
    })
    return finished(run, result, { cwd, context })
  } catch (error) {
    const partial = { ...seen.texts(), cwd, duration_ms: since(started) }
    if (context.terminated.aborted) {
      return { ...partial, exit_code: terminatedCode, killed_by: "user" }
    }
    if (context.signal.aborted) throw error
    if (!late.signal.aborted) throw error
    const ending = { kind: "timed-out", afterMs: run.timeout_ms ?? 0 } as const
    return timedOut({ ...partial, exit_code: timedOutCode }, ending)
  } finally {
    late.cancel()
  }
}

/** The host ends the command at its deadline; this is for one that does not. */
function startLateTimer(timeoutMs: number | undefined) {
  const late = new AbortController()
  const cancel =
    timeoutMs === undefined
      ? () => {}
      : systemClock.after(timeoutMs + limits.command.lateMs, () => late.abort())
  return { signal: late.signal, cancel }
}

function finished(
  run: ProgramRun,
  result: ExecResult,
  call: { readonly cwd: string; readonly context: CallContext },
): ProgramEnd {
  const { exitCode, ending } = result
  const { stdout, stderr } = result
  const answer: ProgramEnd = {
    stdout: fitStream(stdout, result.omitted.stdout),
    stderr: fitStream(stderr, result.omitted.stderr),
    exit_code: exitCode,
    cwd: call.cwd,
    duration_ms: Math.round(result.durationMs),
  }
  if (ending.kind !== "exited") return timedOut(answer, ending)
  const warnings = commandWarnings({ command: run.command, exitCode, stdout, stderr })
  for (const warning of warnings) call.context.warn(warning)
  return answer
}

function timedOut(
  answer: ProgramEnd,
  ending: Exclude<CommandEnding, { kind: "exited" }>,
): ProgramEnd {
  const why =
    ending.kind === "idle"
      ? `it wrote nothing for ${ending.afterMs} ms, its idle timeout`
      : `it ran longer than ${ending.afterMs} ms, its timeout`
  const gap = answer.stderr === "" || answer.stderr.endsWith("\n") ? "" : "\n"
  const stderr = `${answer.stderr}${gap}[The command was ended: ${why}.]\n`
  return { ...answer, stderr, exit_code: timedOutCode, timed_out: true }
}

function since(started: number): number {
  return Math.round(performance.now() - started)
}
