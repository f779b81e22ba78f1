import {
  type CallContext,
  type Capabilities,
  type ExecResult,
  ToolFailure,
} from "../../../contract/index.ts"
import { quoteArguments, withAbort } from "../../../kit/index.ts"
import { openInput } from "../../../sandbox/index.ts"
import { httpLimits } from "../../limits.ts"
import { callBeside } from "../../sandbox-api/call-beside.ts"
import type { JudgedCommand } from "../../sandbox-api/command.ts"
import { judgedCommand, programOf, type StartDeps, startDirectory } from "./judged-command.ts"
import type { EndEvent } from "./process-messages.ts"
import { readPid } from "./read-pid.ts"
import {
  exited,
  killed,
  type ProcessSignal,
  type RunningProcess,
  tellEnd,
} from "./running-process.ts"

/** Starts a command. Once it runs it goes on without its client. */
export async function startCommand(deps: StartDeps): Promise<RunningProcess> {
  const { sandbox, request, events, table, beside } = deps
  const { session, stored } = sandbox
  const { process: config, tag, stdin = true } = request
  const killing = new AbortController()
  const input = stdin ? openInput() : null
  let asked: ProcessSignal | null = null

  async function run(
    given: JudgedCommand,
    context: CallContext,
    open: (one: RunningProcess) => void,
  ) {
    const workspace = await context.workspace()
    requireProcesses(workspace.can)
    const cwd = await startDirectory(workspace, given.cwd, context.signal)
    let forget = () => {}
    const over = Promise.withResolvers<void>()
    const pid = readPid((number) => {
      const one: RunningProcess = {
        ...{ pid: number, config, tag, events, resize: null },
        input: input && { kind: "stdin", write: input.write, end: input.end },
        async signal(signal) {
          asked = signal
          if (signal !== "SIGKILL") return void (await workspace.exec(terminate(number)))
          // Neither listed nor running any more, though a listener that reads slowly may get its end late.
          forget()
          killing.abort()
          await over.promise
        },
      }
      forget = table.add(stored.id, one)
      open(one)
    })
    try {
      const result = await workspace.exec(announced(programOf(config, given.command)), {
        ...{ cwd, env: { ...stored.env, ...given.env }, stdin: input?.readable },
        ...{ timeoutMs: deps.timeoutMs ?? undefined, maxOutputBytes: httpLimits.apiRecordedBytes },
        ...{ signal: AbortSignal.any([context.signal, killing.signal]), rejectOnAbort: false },
        graceMs: 0,
        onOutput(chunk) {
          const bytes = chunk.stream === "stdout" ? pid.strip(chunk.bytes) : chunk.bytes
          if (bytes.length === 0) return
          context.output({ stream: chunk.stream, bytes })
          const data = { [chunk.stream]: Buffer.from(bytes).toString("base64") }
          const taken = events.send({ data }, bytes.length)
          // A listener that reads slowly must not hold back a kill.
          return taken && withAbort(taken, killing.signal).catch(() => {})
        },
      })
      return { result, cwd: cwd ?? workspace.cwd }
    } finally {
      forget()
      over.resolve()
      void input?.end()
    }
  }

  let end: EndEvent | null = null
  const call = callBeside<RunningProcess>(beside, {
    ...{ session, tool: "shell.exec", input: judgedCommand(config), signal: deps.signal },
    async work(given, { context, open }) {
      const { result, cwd } = await run(given as JudgedCommand, context, open)
      end = endOf(result, asked)
      return recorded(result, cwd)
    },
  })
  tellEnd(events, call.ended, () => end)
  return call.opened
}

function requireProcesses({ background, host }: Capabilities): void {
  if (background) return
  const message = `Commands of the ${host} host are not processes, which this API starts.`
  throw new ToolFailure({ kind: "unavailable", message, retryable: false })
}

/** Says its number first, and then becomes the program: so the number is the program's own. */
function announced(program: readonly string[]): string {
  return `echo $BASHPID; exec -- ${quoteArguments(program)}`
}

/** The whole group, for a shell that waits for a program would leave that behind. */
function terminate(pid: number): string {
  return `read -r line </proc/${pid}/stat && set -- \${line##*) } && kill -s TERM -- "-$3"`
}

function endOf({ ending, exitCode }: ExecResult, asked: ProcessSignal | null) {
  if (ending.kind !== "exited") return killed("SIGKILL")
  return asked === "SIGTERM" && exitCode === 143 ? killed("SIGTERM") : exited(exitCode)
}

/** As shell.exec answers. */
function recorded({ stdout, stderr, exitCode, durationMs, ending }: ExecResult, cwd: string) {
  const text = stdout.replace(/^\d+\n/, "")
  return {
    ...{ kind: "command", stdout: text, stderr, exit_code: exitCode, cwd },
    duration_ms: Math.round(durationMs),
    ...(ending.kind === "timed-out" && { timed_out: true }),
    ...(ending.kind === "aborted" && { killed_by: "user" }),
  }
}
