import { type ExecResult, failureFrom } from "../../contract/index.ts"
import { type Clock, withAbort } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"
import type { UsableSandbox } from "./api-sandboxes.ts"
import { createBackground } from "./background.ts"
import { type BesideDeps, callBeside, type Working } from "./call-beside.ts"
import {
  type ApiCommand,
  type ApiCommands,
  type CommandState,
  chosenCommand,
  type ForegroundRequest,
  type JudgedCommand,
  judgedInput,
  shownCommand,
  startDirectory,
} from "./command.ts"

interface Known {
  command: ApiCommand
  /** Resolves when its state is that of its end. */
  readonly interrupt: () => Promise<void>
}

export function createCommands(deps: BesideDeps & { readonly clock: Clock }): ApiCommands {
  const { clock } = deps
  /** Of each sandbox by their ids, the oldest first. */
  const known = new Map<string, Map<string, Known>>()
  const background = createBackground(deps)

  function remember(sandbox: string, one: Known): void {
    const all = known.get(sandbox) ?? new Map<string, Known>()
    known.set(sandbox, all)
    all.set(one.command.id, one)
    for (const [id, { command }] of all) {
      if (all.size <= httpLimits.apiCommands) return
      if (command.state.kind !== "running") all.delete(id)
    }
  }
  const find = ({ stored }: UsableSandbox, id: string) => known.get(stored.id)?.get(id)

  return {
    run(sandbox, request) {
      const { stored, session } = sandbox
      const interruption = new AbortController()
      const started = Promise.withResolvers<void>()
      let state: Exclude<CommandState, { readonly kind: "running" }> | null = null
      const call = callBeside<void>(deps, {
        ...{ session, tool: "shell.exec", signal: request.signal },
        input: judgedInput(request),
        async work(input, working) {
          const { result, cwd } = await execute(input as JudgedCommand, working, {
            ...{ ...request, env: stored.env, interrupted: interruption.signal },
          })
          state = stateOf(result)
          return recordedResult(result, cwd)
        },
      })
      const one: Known = {
        command: {
          ...{ id: call.id, command: shownCommand(request.command), startedMs: clock.now() },
          ...{ endedMs: null, state: { kind: "running" } },
        },
        async interrupt() {
          interruption.abort()
          await told
        },
      }
      call.opened.then(() => {
        remember(stored.id, one)
        started.resolve()
      }, started.reject)
      started.promise.catch(() => {})
      const ended = call.ended.then(
        // The state is there when the work has returned.
        () => state ?? failed(new Error("The command has no end.")),
        (error: unknown) => failed(error),
      )
      const told = ended.then((end) => {
        one.command = { ...one.command, state: end, endedMs: clock.now() }
      })
      return { id: call.id, opened: started.promise, ended }
    },
    start: (sandbox, request) => background.start(sandbox, request),
    async status(sandbox, id) {
      return find(sandbox, id)?.command ?? (await background.status(sandbox, id))
    },
    output: (sandbox, id, range) => background.output(sandbox, id, range),
    async interrupt(sandbox, id) {
      const one = find(sandbox, id)
      if (!one) return background.interrupt(sandbox, id)
      if (one.command.state.kind !== "running") return false
      await one.interrupt()
      return true
    },
    forget(sandbox) {
      known.delete(sandbox)
      background.forget(sandbox)
    },
  }
}

interface Execution extends ForegroundRequest {
  /** Of the sandbox. */
  readonly env: Readonly<Record<string, string>>
  readonly interrupted: AbortSignal
}

async function execute(
  input: JudgedCommand,
  { context, tool, open }: Working<void>,
  asked: Execution,
): Promise<{ readonly result: ExecResult; readonly cwd: string }> {
  const workspace = await context.workspace()
  const cwd = await startDirectory(workspace, input.cwd, context.signal)
  open()
  const signal = AbortSignal.any([context.signal, asked.interrupted])
  const result = await workspace.exec(chosenCommand(input, asked), {
    ...{ cwd, stdin: asked.stdin, env: { ...asked.env, ...input.env } },
    timeoutMs: input.timeout_ms ?? tool.limits.commandTimeoutMs ?? undefined,
    maxOutputBytes: httpLimits.apiRecordedBytes,
    signal,
    rejectOnAbort: false,
    onOutput(chunk) {
      context.output(chunk)
      const taken = asked.onOutput(chunk)
      // A client that takes nothing any more must not hold back the end.
      return taken && withAbort(taken, signal).catch(() => {})
    },
  })
  const isEnded = context.signal.aborted && !context.terminated.aborted
  if (result.ending.kind === "aborted" && isEnded) throw context.signal.reason
  return { result, cwd: cwd ?? workspace.cwd }
}

function stateOf({ ending, exitCode }: ExecResult) {
  switch (ending.kind) {
    case "exited":
      return { kind: "exited", exitCode } as const
    case "timed-out":
    case "idle":
      return { kind: "timed-out", exitCode, afterMs: ending.afterMs } as const
    case "aborted":
      return { kind: "interrupted", exitCode } as const
    default:
      return ending satisfies never
  }
}

/** As shell.exec answers: its beginning and its end, for the record. The client has all of it. */
function recordedResult({ stdout, stderr, exitCode, durationMs, ending }: ExecResult, cwd: string) {
  return {
    ...{ kind: "command", stdout, stderr, exit_code: exitCode, cwd },
    duration_ms: Math.round(durationMs),
    ...(ending.kind === "timed-out" && { timed_out: true }),
    ...(ending.kind === "aborted" && { killed_by: "user" }),
  }
}

function failed(error: unknown) {
  return { kind: "failed", failure: failureFrom(error) } as const
}
