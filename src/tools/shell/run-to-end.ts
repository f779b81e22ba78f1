import type {
  CallContext,
  CommandEnding,
  ExecOptions,
  ExecResult,
  Workspace,
} from "../../contract/index.ts"
import { commandLimits } from "../limits.ts"
import { startDirectory } from "../process/start-command.ts"
import { commandWarnings } from "./command-warnings.ts"
import { fitStream } from "./fit-stream.ts"

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

/** Runs a program to its end, whichever end that is, and answers with what it printed. */
export async function runToEnd(run: ProgramRun, context: CallContext): Promise<ProgramEnd> {
  const workspace = await context.workspace()
  const cwd = await startDirectory(workspace, run.cwd, context.signal)
  const result = await run.start(workspace, {
    cwd,
    env: run.env,
    stdin: run.stdin,
    timeoutMs: run.timeout_ms,
    idleTimeoutMs: run.idle_timeout_ms,
    maxOutputBytes: commandLimits.streamBytes,
    signal: context.signal,
    rejectOnAbort: false,
    onOutput: context.output,
  })
  const answer: ProgramEnd = {
    stdout: fitStream(result.stdout, result.omitted.stdout),
    stderr: fitStream(result.stderr, result.omitted.stderr),
    exit_code: result.exitCode,
    cwd,
    duration_ms: Math.round(result.durationMs),
  }
  switch (result.ending.kind) {
    case "exited":
      for (const warning of commandWarnings({ ...result, command: run.command })) {
        context.warn(warning)
      }
      return answer
    case "aborted":
      if (context.terminated.aborted) return { ...answer, killed_by: "user" }
      throw context.signal.reason
    default:
      return timedOut(answer, result.ending)
  }
}

function timedOut(
  answer: ProgramEnd,
  ending: Extract<CommandEnding, { kind: "timed-out" | "idle" }>,
): ProgramEnd {
  const why =
    ending.kind === "idle"
      ? `it wrote nothing for ${ending.afterMs} ms, its idle timeout`
      : `it ran longer than ${ending.afterMs} ms, its timeout`
  const gap = answer.stderr === "" || answer.stderr.endsWith("\n") ? "" : "\n"
  const stderr = `${answer.stderr}${gap}[The command was ended: ${why}.]\n`
  return { ...answer, stderr, timed_out: true }
}
