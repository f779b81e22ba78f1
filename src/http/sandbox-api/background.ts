import type { ProcessStatus } from "../../contract/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"
import type { UsableSandbox } from "./api-sandboxes.ts"
import { type BesideDeps, callBeside } from "./call-beside.ts"
import {
  type ApiCommand,
  type ApiCommands,
  type CommandState,
  chosenCommand,
  type JudgedCommand,
  judgedInput,
  noSuchCommand,
  startDirectory,
} from "./command.ts"

type Background = Pick<ApiCommands, "start" | "status" | "output" | "interrupt" | "forget">

/** Commands that go on in the background: processes of the sandbox, which are known by their own ids. */
export function createBackground(deps: BesideDeps & { readonly clock: Clock }): Background {
  const { clock } = deps
  /** Of each sandbox: when its timeouts ended processes, and when others were seen to have ended. */
  const ends = new Map<string, Map<string, { readonly atMs: number; readonly afterMs?: number }>>()
  const endsOf = (sandbox: string) => {
    const own = ends.get(sandbox) ?? new Map()
    ends.set(sandbox, own)
    return own
  }
  const processesOf = async ({ session }: UsableSandbox) => (await session.workspace()).processes

  /** Not before: a sandbox that sleeps meanwhile ends its processes itself. */
  async function watch(sandbox: UsableSandbox, id: string, timeoutMs: number | undefined) {
    const processes = await processesOf(sandbox)
    const own = endsOf(sandbox.stored.id)
    const cancel =
      timeoutMs === undefined
        ? () => {}
        : clock.after(timeoutMs, () => {
            own.set(id, { atMs: clock.now(), afterMs: timeoutMs })
            void processes.kill(id).catch(() => {})
          })
    try {
      await processes.wait(id)
    } finally {
      cancel()
      if (!own.has(id)) own.set(id, { atMs: clock.now() })
      for (const old of own.keys()) {
        if (own.size <= httpLimits.apiCommands) break
        own.delete(old)
      }
    }
  }

  function describe(
    { stored }: UsableSandbox,
    asked: string | null,
    process: ProcessStatus,
  ): ApiCommand {
    const { id, command, startedMs } = process
    const end = ends.get(stored.id)?.get(id)
    const text = typeof command === "string" ? command : command.join(" ")
    const state = stateOf(process, end?.afterMs)
    const endedMs = state.kind === "running" ? null : (end?.atMs ?? null)
    return { id, command: asked ?? text, startedMs, endedMs, state }
  }

  async function find(sandbox: UsableSandbox, id: string): Promise<ProcessStatus> {
    const all = await (await processesOf(sandbox)).list()
    const found = all.find((one) => one.id === id)
    if (found) return found
    throw noSuchCommand(id)
  }

  return {
    async start(sandbox, request) {
      const { stored, session } = sandbox
      const { timeoutMs, ...untimed } = request
      const call = callBeside<ProcessStatus>(deps, {
        ...{ session, tool: "shell.exec" },
        input: { ...judgedInput(untimed), background: true },
        async work(input, { context, open }) {
          const given = input as JudgedCommand
          const workspace = await context.workspace()
          if (!workspace.can.background) throw noBackground(workspace.can.host)
          const cwd = await startDirectory(workspace, given.cwd, context.signal)
          const process = await workspace.processes.start(chosenCommand(given, request), {
            ...{ cwd, env: { ...stored.env, ...given.env }, signal: context.signal },
          })
          open(process)
          const { id, pid, logFile, startedMs } = process
          return {
            ...{ kind: "process", id, pid, command: given.command, cwd: process.cwd },
            ...{ log_file: logFile, started: new Date(startedMs).toISOString() },
            ...{ state: "running", background: true },
          }
        },
      })
      const process = await call.opened
      await call.ended
      void watch(sandbox, process.id, timeoutMs).catch(() => {})
      return describe(sandbox, judgedInput(request).command, process)
    },
    status: async (sandbox, id) => describe(sandbox, null, await find(sandbox, id)),
    async output(sandbox, id, { from, signal }) {
      await find(sandbox, id)
      const processes = await processesOf(sandbox)
      const length = httpLimits.apiLogBytes
      const { bytes } = await processes.output(id, { offset: from, length, signal })
      return { bytes, next: from + bytes.length }
    },
    async interrupt(sandbox, id) {
      const { state } = await find(sandbox, id)
      if (state.kind !== "running") return false
      await (await processesOf(sandbox)).kill(id)
      return true
    },
    forget: (sandbox) => void ends.delete(sandbox),
  }
}

function stateOf({ state }: ProcessStatus, timeoutMs: number | undefined): CommandState {
  switch (state.kind) {
    case "running":
      return state
    case "exited":
      return { kind: "exited", exitCode: state.exitCode }
    case "killed":
      return timeoutMs === undefined
        ? { kind: "interrupted", exitCode: 143 }
        : { kind: "timed-out", exitCode: 124, afterMs: timeoutMs }
    case "gone":
      return { kind: "failed", failure: { kind: "unavailable", message: state.why } }
    default:
      return state satisfies never
  }
}

function noBackground(host: string): ToolFailure {
  const message = `Commands can't go on in the background on the ${host} host.`
  return new ToolFailure({ kind: "unavailable", message, retryable: false })
}
