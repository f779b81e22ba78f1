import type { FailureDetails } from "../../contract/index.ts"
import { httpLimits } from "../limits.ts"
import type { CommandRequest, CommandState } from "../sandbox-api/command.ts"
import type { SandboxApi } from "../sandbox-api/sandbox-api.ts"
import { readJson } from "../server/read-arguments.ts"
import { readEnv } from "./create-request.ts"
import { type CommandEvent, openEventStream } from "./event-stream.ts"
import { timeOf } from "./lifecycle.ts"
import { createOutputLines } from "./output-lines.ts"
import {
  aCount,
  aFlag,
  apiName,
  aText,
  badRequest,
  empty,
  type Handler,
  json,
  notImplemented,
  type OpenSandboxRequest,
  optional,
  queryCount,
  required,
  texts,
} from "./request.ts"

type Body = Readonly<Record<string, unknown>>

export const runCommand: Handler = async (request, api) => {
  const body = await readJson(request.raw)
  for (const field of ["uid", "gid"]) {
    if (optional(body, field, aCount) !== undefined) {
      throw notImplemented(`A command as another user (${field})`)
    }
  }
  const asked = { ...readCommand(body), env: readEnv(optional(body, "envs", texts) ?? {}) }
  if (optional(body, "background", aFlag)) return startInBackground(request, api, asked)
  return runInForeground(request, api, asked)
}

function readCommand(body: Body): CommandRequest {
  const command = required(body, "command", aText)
  if (command.trim() === "") throw badRequest("command is empty.", "command")
  // As in OpenSandbox: milliseconds, and no limit for 0.
  const timeoutMs = optional(body, "timeout", aCount) || undefined
  return { command, cwd: optional(body, "cwd", aText), timeoutMs }
}

async function startInBackground(
  { id }: OpenSandboxRequest,
  api: SandboxApi,
  asked: CommandRequest,
): Promise<Response> {
  const usable = await api.sandboxes.use(apiName, id)
  const started = await api.commands.start(usable, asked)
  const { response, send, close } = openEventStream(api.clock.now)
  void send([
    { type: "init", text: started.id },
    { type: "execution_complete", execution_time: 0 },
  ])
  close()
  return response
}

async function runInForeground(
  { id, signal }: OpenSandboxRequest,
  api: SandboxApi,
  asked: CommandRequest,
): Promise<Response> {
  const { clock } = api
  const usable = await api.sandboxes.use(apiName, id)
  const stream = openEventStream(clock.now)
  const lines = { stdout: createOutputLines("stdout"), stderr: createOutputLines("stderr") }
  const command = api.commands.run(usable, {
    ...{ ...asked, signal },
    onOutput: (chunk) => stream.send(lines[chunk.stream].add(chunk.bytes)),
  })
  await command.opened
  const startedMs = clock.now()
  void stream.send([{ type: "init", text: command.id }])
  const stopPinging = ping(api, stream)
  void command.ended.then((state) => {
    stopPinging()
    void stream.send([
      ...lines.stdout.end(),
      ...lines.stderr.end(),
      ...endEvents(state, clock.now() - startedMs),
    ])
    stream.close()
  })
  return stream.response
}

/** Says that the command goes on, where it says nothing itself. */
function ping({ clock }: SandboxApi, { send }: ReturnType<typeof openEventStream>): () => void {
  let cancel = () => {}
  const wait = () => {
    cancel = clock.after(httpLimits.heartbeatMs, () => {
      void send([{ type: "ping", text: "pong" }])
      wait()
    })
  }
  wait()
  return () => cancel()
}

/**
 * Exit codes other than 0 are errors whose value is the code; their names tell timeouts and interruptions apart. Only a
 * command whose end is known has the event of an end.
 */
function endEvents(
  state: Exclude<CommandState, { readonly kind: "running" }>,
  milliseconds: number,
): readonly CommandEvent[] {
  const complete = { type: "execution_complete", execution_time: milliseconds } as const
  switch (state.kind) {
    case "exited":
      if (state.exitCode === 0) return [complete]
      return [errorEvent("CommandExecError", state.exitCode, errorOf(state)), complete]
    case "timed-out":
      return [errorEvent("CommandTimeout", state.exitCode, errorOf(state)), complete]
    case "interrupted":
      return [errorEvent("CommandInterrupted", state.exitCode, errorOf(state)), complete]
    case "failed":
      return [errorEvent(state.failure.kind, state.failure.message, errorOf(state))]
    default:
      return state satisfies never
  }
}

function errorEvent(ename: string, value: string | number, why: string | undefined): CommandEvent {
  return { type: "error", error: { ename, evalue: String(value), traceback: why ? [why] : [] } }
}

function errorOf(state: CommandState): string | undefined {
  switch (state.kind) {
    case "running":
      return undefined
    case "exited":
      return state.exitCode === 0 ? undefined : `exit status ${state.exitCode}`
    case "timed-out":
      return `It ran longer than ${state.afterMs} ms, its timeout.`
    case "interrupted":
      return "It was interrupted."
    case "failed":
      return (state.failure satisfies FailureDetails).message
    default:
      return state satisfies never
  }
}

export const interruptCommand: Handler = async ({ id, query }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  const command = query.get("id")
  if (!command) throw badRequest("id is missing.", "id")
  await api.commands.interrupt(usable, command)
  return empty()
}

export const getCommandStatus: Handler = async ({ id, path }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  const { state, ...command } = await api.commands.status(usable, path("command"))
  const error = errorOf(state)
  return json({
    id: command.id,
    content: command.command,
    running: state.kind === "running",
    exit_code: "exitCode" in state ? state.exitCode : null,
    ...(error !== undefined && { error }),
    started_at: timeOf(command.startedMs),
    finished_at: command.endedMs === null ? null : timeOf(command.endedMs),
  })
}

/** The cursor is the byte where the next piece starts. */
export const getCommandLogs: Handler = async ({ id, path, query, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  const from = queryCount(query, "cursor") ?? 0
  const { bytes, next } = await api.commands.output(usable, path("command"), { from, signal })
  return new Response(bytes, {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
      "EXECD-COMMANDS-TAIL-CURSOR": String(next),
    },
  })
}
