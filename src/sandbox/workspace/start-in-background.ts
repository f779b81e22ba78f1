import { posix } from "node:path"
import { ToolFailure } from "../../contract/index.ts"
import { quoteArguments } from "../../kit/index.ts"
import { scriptArguments } from "../commands/script-arguments.ts"
import type { Sandbox } from "../host/host.ts"
import type { CommandOutcome, CommandRun } from "../host/operation.ts"

export type ProcessStart = Pick<CommandRun, "command" | "cwd" | "env" | "stdin"> & {
  /** In place of `stdin`, what it reads while it runs. */
  readonly input?: ReadableStream<Uint8Array> | undefined
}

export interface BackgroundStart {
  readonly sandbox: Pick<Sandbox, "perform">
  readonly logFile: string
  /** Ends the process. */
  readonly signal: AbortSignal
  /** Ends the wait for its start, and with it the process. */
  readonly startSignal: AbortSignal
  readonly graceMs: () => number
}

export interface StartedInBackground {
  readonly pid: number
  /** How it ends; rejects when its sandbox ends. */
  readonly outcome: Promise<CommandOutcome>
}

/** Resolves as soon as the process has its number, with the promise of its end. */
export async function startInBackground(
  { command, cwd, env, stdin, input }: ProcessStart,
  { sandbox, logFile, signal, startSignal, graceMs }: BackgroundStart,
): Promise<StartedInBackground> {
  const said = Promise.withResolvers<number>()
  let text = ""
  const ended = AbortSignal.any([signal, startSignal])
  const starting = new AbortController()
  const forward = () => starting.abort(ended.reason)
  ended.addEventListener("abort", forward)
  if (ended.aborted) forward()
  const outcome = sandbox.perform<"command.run">(
    {
      kind: "command.run",
      command: script(command, logFile),
      cwd,
      env,
      stdin,
      timeoutMs: null,
      idleTimeoutMs: null,
      maxOutputBytes: 4096,
    },
    {
      signal: starting.signal,
      graceMs,
      input,
      onOutput: ({ stream, bytes }) => {
        // Every command inside can write there as well, and without end.
        if (stream !== "stdout" || text.endsWith("\n")) return
        text += new TextDecoder().decode(bytes)
        if (!processNumber.test(text)) throw notStarted("another command wrote in its place.")
        if (text.endsWith("\n")) said.resolve(Number(text))
      },
    },
  )
  outcome.catch(() => {})
  const failed = outcome.then(({ stderr, ending }) => {
    if (ending.kind === "aborted") throw starting.signal.reason
    // One that was fast enough has said its number before its end.
    if (text.endsWith("\n")) return Number(text)
    throw notStarted(new TextDecoder().decode(stderr.head).trim())
  })
  const pid = await Promise.race([said.promise, failed])
  // From now on only its own signal ends it.
  ended.removeEventListener("abort", forward)
  signal.addEventListener("abort", () => starting.abort(signal.reason), { once: true })
  if (signal.aborted) starting.abort(signal.reason)
  return { pid, outcome }
}

/** As far as it has come. */
const processNumber = /^(\d{1,10}\n?)?$/

function notStarted(reason: string): ToolFailure {
  const message = `The process could not be started: ${reason}`
  return new ToolFailure({ kind: "execution_error", message })
}

/** Says its number where only this process hears it, and then writes to the log alone. */
function script(command: string | readonly string[], logFile: string): string {
  const directory = quoteArguments([posix.dirname(logFile)])
  const program =
    typeof command === "string"
      ? `bash --noprofile --norc -c -- ${quoteArguments(scriptArguments(command))}`
      : quoteArguments(command)
  return [
    `mkdir -p -- ${directory} || exit 1`,
    // The directory of a local sandbox may be somebody's repository.
    `[[ -e ${directory}/.gitignore ]] || echo '*' >${directory}/.gitignore || exit 1`,
    `exec 4>&1 >${quoteArguments([logFile])} || exit 1`,
    "echo $BASHPID >&4",
    `exec 2>&1 4>&-`,
    `exec -- ${program}`,
  ].join("\n")
}
