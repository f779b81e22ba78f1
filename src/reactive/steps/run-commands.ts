import { type OutputChunk, ToolFailure } from "../../contract/index.ts"
import { createId } from "../../kit/index.ts"
import type { Session } from "../../session/index.ts"
import type { Async } from "../graph/types.ts"
import { readWhole, resultOf } from "./call-session.ts"
import { Printed } from "./output.ts"
import type { RunControl } from "./runs.ts"

/** What commands in a sandbox gave. An exit code is a result, not an error. */
export interface ExecResult {
  readonly stdout: string
  readonly stderr: string
  readonly exit_code: number
  /** The files that were asked for, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** Those of them that are not there. */
  readonly missing?: readonly string[]
  /** Of a sequence: the command at which it stopped, because its exit code was not 0. */
  readonly failed_step?: { readonly index: number; readonly command: string }
  /** How many bytes in the middle of each stream were left out, where one was too long: more than 64 MB. */
  readonly truncated?: { readonly stdout: number; readonly stderr: number }
}

/** The answer of commands: what they print can be read while they run. */
export interface AsyncExec extends Async<ExecResult> {
  /** The end of what was printed so far, both streams together, and all of it where it is not long. */
  readonly output: string
}

export interface CommandParams {
  readonly command: string | readonly string[]
  readonly files?: readonly string[] | undefined
  /** For the first command. */
  readonly stdin?: string | undefined
  /** For all of them together. */
  readonly timeout_ms?: number | undefined
}

export interface CommandPlace {
  readonly session: Session
  readonly sandbox: string
  readonly control: Pick<RunControl, "signal" | "print">
}

/** One command after the other, until one fails; then the files. */
export async function runCommands(
  { command, files, stdin, timeout_ms: timeoutMs }: CommandParams,
  place: CommandPlace,
): Promise<ExecResult> {
  const started = performance.now()
  const commands = typeof command === "string" ? [command] : command
  if (!Array.isArray(commands)) throw misused(noCommand)
  if (files !== undefined && !Array.isArray(files)) throw misused("files is a list of paths.")
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0)) {
    throw misused("timeout_ms is a whole number of milliseconds, from 1 on.")
  }
  const told = { stdout: "", stderr: "" }
  const printed = new Printed()
  const print = (chunk: OutputChunk) => {
    printed.add(chunk)
    place.control.print(chunk)
  }
  let exitCode = 0
  let failedStep: ExecResult["failed_step"]
  for (const [index, one] of commands.entries()) {
    const left = timeoutMs === undefined ? undefined : timeLeft(timeoutMs, started)
    const end = await runCommand(
      one,
      { left, stdin: index === 0 ? stdin : undefined, print },
      place,
    )
    told.stdout += end.stdout
    told.stderr += end.stderr
    exitCode = end.exit_code
    if (end.timed_out) throw timedOut(timeoutMs, one)
    if (end.exit_code === 0) continue
    if (typeof command !== "string") failedStep = { index, command: one }
    break
  }
  const { truncated, ...streams } = printed.result(told)
  return {
    ...{ ...streams, exit_code: exitCode },
    ...(files && (await readFiles(files, place))),
    ...(failedStep && { failed_step: failedStep }),
    ...(truncated && { truncated }),
  }
}

interface CommandOptions {
  readonly left: number | undefined
  readonly stdin: string | undefined
  readonly print: RunControl["print"]
}

async function runCommand(
  command: string,
  { left, stdin, print }: CommandOptions,
  { session, sandbox, control: { signal } }: CommandPlace,
) {
  const input = {
    ...{ command, sandbox },
    ...(stdin !== undefined && { stdin }),
    ...(left !== undefined && { timeout_ms: left }),
  }
  const id = createId("call")
  const stop = session.listen((event) => {
    if (event.kind === "call-output" && event.callId === id) print(event.chunk)
  })
  const end = await resultOf(session.call("shell.exec", input, { signal, id })).finally(stop)
  signal.throwIfAborted()
  if (end.kind === "command") return end
  throw new ToolFailure({ kind: "execution_error", message: "The command did not end." })
}

/** At least a moment: 0 would be no timeout. */
function timeLeft(timeoutMs: number, started: number): number {
  return Math.max(1, Math.round(timeoutMs - (performance.now() - started)))
}

const noCommand = "A command is text, or a list of texts that run one after the other."

/** What a pattern that nobody type-checks may say. */
function misused(message: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message })
}

function timedOut(timeoutMs: number | undefined, command: string): ToolFailure {
  const within = timeoutMs === undefined ? "in time" : `within ${timeoutMs} ms`
  const shown = JSON.stringify(command.slice(0, 100))
  return new ToolFailure({ kind: "timeout", message: `${shown} did not end ${within}.` })
}

/** The files that are there, and the names of those that are not. */
async function readFiles(paths: readonly string[], { session, sandbox, control }: CommandPlace) {
  const { signal } = control
  const files: Record<string, string> = {}
  const missing: string[] = []
  for (const path of paths) {
    try {
      files[path] = await readWhole(session, { sandbox, path, signal })
    } catch (error) {
      if (!(error instanceof ToolFailure) || error.kind !== "not_found") throw error
      missing.push(path)
    }
  }
  return { files, ...(missing.length > 0 && { missing }) }
}
