import {
  type CallContext,
  type CommandEnding,
  cutText,
  type ExecResult,
  limits,
  requirePath,
  type Workspace,
} from "../../contract/index.ts"
import { systemClock } from "../../kit/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import { commandWarnings } from "./command-warnings.ts"
import { SeenOutput } from "./seen-output.ts"

export interface CommandRequest {
  readonly command: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly timeout_ms?: number
  readonly idle_timeout_ms?: number
}

export interface CommandResult {
  readonly kind: "command"
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

/** Runs a command to its end, whichever end that is, and answers with what it printed. */
export async function runCommand(
  request: CommandRequest,
  context: CallContext,
): Promise<CommandResult> {
  const workspace = await context.workspace()
  const cwd = await startDirectory(workspace, request.cwd, context.signal)
  const seen = new SeenOutput(limits.command.streamBytes)
  const late = startLateTimer(request.timeout_ms)
  const started = performance.now()
  try {
    const result = await workspace.exec(withPipefail(request.command), {
      cwd,
      env: request.env,
      stdin: request.stdin,
      timeoutMs: request.timeout_ms,
      idleTimeoutMs: request.idle_timeout_ms,
      maxOutputBytes: limits.command.streamBytes,
      signal: AbortSignal.any([context.signal, context.terminated, late.signal]),
      onOutput: (chunk) => {
        seen.push(chunk)
        context.output(chunk)
      },
    })
    return finished(request, result, { cwd, context })
  } catch (error) {
    const partial = { kind: "command", ...seen.texts(), cwd, duration_ms: since(started) } as const
    if (context.terminated.aborted) {
      return { ...partial, exit_code: terminatedCode, killed_by: "user" }
    }
    if (context.signal.aborted) throw error
    if (!late.signal.aborted) throw error
    const ending = { kind: "timed-out", afterMs: request.timeout_ms ?? 0 } as const
    return timedOut({ ...partial, exit_code: timedOutCode }, ending)
  } finally {
    late.cancel()
  }
}

/** On the command's own first line, so that the line numbers in bash's messages stay true. */
function withPipefail(command: string): string {
  return `set -o pipefail; ${command}`
}

async function startDirectory(
  workspace: Workspace,
  cwd: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (cwd === undefined) return workspace.cwd
  const path = requirePath(cwd, workspace, "cwd")
  const { type } = await workspace.stat(path, { signal })
  if (type !== "directory") throw new WorkspaceError("not-directory", path)
  return path
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
  request: CommandRequest,
  result: ExecResult,
  call: { readonly cwd: string; readonly context: CallContext },
): CommandResult {
  const { exitCode, ending } = result
  const { stdout, stderr } = result
  const answer: CommandResult = {
    kind: "command",
    stdout: cutText(stdout, limits.command.streamBytes).text,
    stderr: cutText(stderr, limits.command.streamBytes).text,
    exit_code: exitCode,
    cwd: call.cwd,
    duration_ms: Math.round(result.durationMs),
  }
  if (ending.kind !== "exited") return timedOut(answer, ending)
  const warnings = commandWarnings({ command: request.command, exitCode, stdout, stderr })
  for (const warning of warnings) call.context.warn(warning)
  return answer
}

function timedOut(
  answer: CommandResult,
  ending: Exclude<CommandEnding, { kind: "exited" }>,
): CommandResult {
  const why =
    ending.kind === "idle"
      ? `it wrote nothing for ${ending.afterMs} ms (idle_timeout_ms)`
      : `it ran longer than ${ending.afterMs} ms (timeout_ms)`
  const gap = answer.stderr === "" || answer.stderr.endsWith("\n") ? "" : "\n"
  const stderr = `${answer.stderr}${gap}[The command was ended: ${why}.]\n`
  return { ...answer, stderr, exit_code: timedOutCode, timed_out: true }
}

function since(started: number): number {
  return Math.round(performance.now() - started)
}
