import {
  type CallContext,
  type CallLimits,
  type CommandEnding,
  cutText,
  type ExecOptions,
  type ExecResult,
  type InferSchema,
  object,
  type ResultView,
  requirePath,
  showLines,
  type Workspace,
} from "../../contract/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import { commandLimits } from "../limits.ts"

/** Where a command starts: the workspace's own directory, or the one that the call names. */
export async function startDirectory(
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

/**
 * On the command's own first line, so that the line numbers in bash's messages stay true. A foreign host's shell that
 * does not know the option would end at it without `command`.
 */
const pipefail = "command set -o pipefail 2>/dev/null; "

export function withPipefail(command: string): string {
  return `${pipefail}${command}`
}

/** The command as its caller wrote it. */
export function withoutPipefail(command: string): string {
  return command.startsWith(pipefail) ? command.slice(pipefail.length) : command
}

/** How much one stream of a command has of an answer. */
export function streamBytesOf({ textBytes }: CallLimits): number {
  return textBytes - commandLimits.noteBytes
}

/** A program that is waited for, and how it is started. */
export interface ProgramRun {
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly stdin?: string | undefined
  readonly timeout_ms?: number | undefined
  readonly idle_timeout_ms?: number | undefined
  /** How much of each stream its answer has. */
  readonly streamBytes: number
  /** The shell's words in it, for the warnings on them; "" where no shell reads it. */
  readonly command: string
  readonly start: (workspace: Workspace, options: ExecOptions) => Promise<ExecResult>
}

/** The fields of every program that was waited for. */
export const endFields = {
  stdout: { type: "string" },
  stderr: { type: "string" },
  exit_code: { type: "integer" },
  cwd: { type: "string" },
  duration_ms: { type: "integer" },
  "timed_out?": { const: true, description: "A timeout of the call ended it." },
  "killed_by?": { const: "user", description: "A person ended it." },
} as const

const endSchema = object(endFields)

/** What a program printed and how it ended. */
export type ProgramEnd = InferSchema<typeof endSchema>

/** What a program wrote and how it ended, where that is worth a word. The streams are told apart as soon as there are two. */
export function showEnd(
  end: Omit<ProgramEnd, "cwd" | "duration_ms">,
  { outputShown, endShown }: ResultView,
  streamBytes: number,
): string {
  return showLines(
    !outputShown && showStreams(end, streamBytes),
    !endShown && end.exit_code !== 0 && `[exit code ${end.exit_code}]`,
    !endShown && end.killed_by && `[ended by the ${end.killed_by}]`,
  )
}

type Streams = Pick<ProgramEnd, "stdout" | "stderr">

/** Both together have the room of one. */
function showStreams({ stdout, stderr }: Streams, bytes: number): string {
  if (stdout === "" && stderr === "") return noOutput
  if (stderr === "") return stdout
  const room = (other: string) => Math.max(bytes / 2, bytes - Buffer.byteLength(other))
  return showLines(
    stdout !== "" && "[stdout]",
    cutText(stdout, room(stderr)).text,
    "[stderr]",
    cutText(stderr, room(stdout)).text,
  )
}

/** For the note on what was left out of a stream. */
const noteRoom = 100

/** What is shown of a command that wrote nothing. */
export const noOutput = "No output."

/** Runs a program to its end, whichever end that is, and answers with what it printed. */
export async function runToEnd(run: ProgramRun, context: CallContext): Promise<ProgramEnd> {
  const workspace = await context.workspace()
  const cwd = await startDirectory(workspace, run.cwd, context.signal)
  const result = await run.start(workspace, {
    cwd: run.cwd === undefined ? undefined : cwd,
    env: run.env,
    stdin: run.stdin,
    timeoutMs: run.timeout_ms,
    idleTimeoutMs: run.idle_timeout_ms,
    maxOutputBytes: run.streamBytes,
    signal: context.signal,
    rejectOnAbort: false,
    onOutput: context.output,
  })
  const answer: ProgramEnd = {
    // Bytes that are no text grow when they are decoded, so that a stream that was cut may be too long again.
    stdout: cutText(result.stdout, run.streamBytes + noteRoom, result.omitted.stdout).text,
    stderr: cutText(result.stderr, run.streamBytes + noteRoom, result.omitted.stderr).text,
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

/** What a command did, as far as a warning depends on it. */
export interface FinishedCommand {
  readonly command: string
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

const brokenPipe = 141
/** An escaped character, a text in single or double quotes, or a comment up to its line's end. */
const quotedOrComment = /\\[\s\S]|'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|(?<![^\s;|&()])#[^\n]*/g

/** What a model should know about a command's end beyond its output, in the same words everywhere. */
export function commandWarnings(finished: FinishedCommand): readonly string[] {
  const { command, exitCode, stdout, stderr } = finished
  if (exitCode === brokenPipe) {
    return [
      "Exit code 141: a command in a pipe was still writing when its reader stopped (as in `... | head`). The output is usually what was wanted.",
    ]
  }
  if (exitCode !== 0 || stdout !== "" || stderr !== "") return []
  const bare = withoutQuotes(command)
  const reasons = [
    ...(hasPipe(bare) ? ["has a pipe"] : []),
    ...(discardsErrors(bare) ? ["throws error messages away"] : []),
  ]
  if (reasons.length === 0) return []
  return [
    `No output and exit code 0, but the command ${reasons.join(" and ")}, so a failure may be hidden. If output was expected, run its first part alone and keep its error messages.`,
  ]
}

/** Quoted text and comments are not syntax: `grep "a|b"` has no pipe. */
function withoutQuotes(command: string): string {
  return command.replaceAll(quotedOrComment, (part) => (part.startsWith("#") ? "" : "_"))
}

function hasPipe(command: string): boolean {
  return /(?<![|>])\|(?!\|)/.test(command)
}

function discardsErrors(command: string): boolean {
  return (
    /(?:2|&)>>?\s*\/dev\/null/.test(command) ||
    /2>&-/.test(command) ||
    />>?\s*\/dev\/null\s+2>&1/.test(command)
  )
}
