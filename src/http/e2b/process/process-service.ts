import type { Clock } from "../../../kit/index.ts"
import { type BesideDeps, callBeside } from "../../sandbox-api/call-beside.ts"
import type { TerminalPlaces } from "../../terminals/terminal-places.ts"
import { createBroadcast } from "../broadcast.ts"
import { ConnectError } from "../connect/connect-error.ts"
import { clientStream, type Method, serverStream, unary } from "../connect/method.ts"
import { type EnvdContext, lateSignal } from "../envd-context.ts"
import type { ProcessEvent } from "./process-messages.ts"
import { processRequests as requests } from "./process-messages.ts"
import { createProcessTable, type ProcessSelector } from "./process-table.ts"
import type { ProcessSignal, RunningProcess } from "./running-process.ts"
import { startCommand } from "./start-command.ts"
import { startTerminal } from "./start-terminal.ts"

export interface ProcessServiceDeps {
  readonly beside: BesideDeps
  readonly clock: Clock
  readonly places: TerminalPlaces
}

type Input = { readonly stdin?: string; readonly pty?: string }

/** process.Process, the part of a sandbox's API that runs commands and terminals. */
export function processService(
  deps: ProcessServiceDeps,
): Readonly<Record<string, Method<EnvdContext>>> {
  const { beside, clock } = deps
  const table = createProcessTable()
  const find = ({ sandbox }: EnvdContext, selector: ProcessSelector) =>
    table.find(sandbox.stored.id, selector)

  /** Each is a call of process.write, so that a policy which looks at what is written sees it. */
  async function write(process: RunningProcess, input: Input, context: EnvdContext) {
    const target = requireInput(process, input)
    const bytes = Buffer.from(input.stdin ?? input.pty ?? "", "base64")
    const text = bytes.toString("utf8")
    await callBeside<never>(beside, {
      ...{ session: context.sandbox.session, tool: "process.write", signal: context.signal },
      input: { pid: process.pid, text },
      async work(given) {
        const { text: allowed } = given as { readonly text: string }
        // Bytes that are no text are written as they came.
        await target.write(allowed === text ? bytes : Buffer.from(allowed))
        return { kind: "written", pid: process.pid, bytes: bytes.length }
      },
    }).ended
  }
  async function* follow(process: RunningProcess, events: AsyncIterable<ProcessEvent>) {
    yield { event: { start: { pid: process.pid } } }
    for await (const event of events) yield { event }
  }

  return {
    "process.Process/List": unary(requests.list, async (_, context: EnvdContext) => ({
      processes: table.list(context.sandbox.stored.id).map(({ config, pid, tag }) => {
        return { config, pid, ...(tag !== undefined && { tag }) }
      }),
    })),
    "process.Process/Start": serverStream(
      requests.start,
      async function* start(request, { sandbox, signal, timeoutMs }: EnvdContext) {
        const events = createBroadcast<ProcessEvent>()
        const heard = events.listen(signal)
        const waiting = new AbortController()
        const giveUp = () => waiting.abort(signal.reason)
        signal.addEventListener("abort", giveUp)
        if (signal.aborted) giveUp()
        const starting = { sandbox, request, events, table, signal: waiting.signal, timeoutMs }
        const process = await (request.pty
          ? startTerminal({ ...starting, ...deps })
          : startCommand({ ...starting, ...deps })
        ).finally(() => signal.removeEventListener("abort", giveUp))
        // Without its client it goes on from here.
        yield* follow(process, heard)
      },
    ),
    "process.Process/Connect": serverStream(
      requests.connect,
      async function* connect({ process: selector }, context: EnvdContext) {
        const process = find(context, selector)
        const late = lateSignal(context, clock)
        try {
          yield* follow(process, process.events.listen(late.signal))
          late.throwIfLate()
        } finally {
          late.cancel()
        }
      },
    ),
    "process.Process/Update": unary(
      requests.update,
      async ({ process: selector, pty }, context: EnvdContext) => {
        const { resize } = find(context, selector)
        if (!resize) throw new ConnectError("failed_precondition", "The process has no terminal.")
        if (pty?.size) await resize(pty.size.cols ?? 80, pty.size.rows ?? 24)
        return {}
      },
    ),
    "process.Process/SendInput": unary(
      requests.sendInput,
      async ({ process: selector, input }, context: EnvdContext) => {
        await write(find(context, selector), input, context)
        return {}
      },
    ),
    "process.Process/StreamInput": clientStream(
      requests.streamInput,
      async (messages, context: EnvdContext) => {
        let process: RunningProcess | null = null
        for await (const { start, data } of messages) {
          if (start) process = find(context, start.process)
          if (!data) continue
          if (!process) throw new ConnectError("invalid_argument", "No process was named first.")
          await write(process, data.input, context)
        }
        return {}
      },
    ),
    "process.Process/SendSignal": unary(
      requests.sendSignal,
      async ({ process: selector, signal: name }, context: EnvdContext) => {
        const process = find(context, selector)
        await callBeside<never>(beside, {
          ...{ session: context.sandbox.session, tool: "process.kill", signal: context.signal },
          input: { pid: process.pid, signal: name.replace("SIGNAL_", "") },
          async work(given) {
            const { signal } = given as { readonly signal: ProcessSignal }
            await process.signal(signal)
            return { kind: "signalled", pid: process.pid, signal }
          },
        }).ended
        return {}
      },
    ),
    "process.Process/CloseStdin": unary(
      requests.closeStdin,
      async ({ process: selector }, context: EnvdContext) => {
        await requireInput(find(context, selector), null).end()
        return {}
      },
    ),
  }
}

function requireInput({ pid, input }: RunningProcess, given: Input | null) {
  const kind = given === null ? input?.kind : given.pty === undefined ? "stdin" : "pty"
  if (input && input.kind === kind) return input
  const message = input
    ? `The process ${pid} takes its input as ${input.kind}.`
    : `The process ${pid} was started without an input.`
  throw new ConnectError("failed_precondition", message)
}
