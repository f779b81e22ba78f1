import {
  type InferSchema,
  object,
  type ProcessState,
  type ProcessStatus,
  ToolFailure,
  type Workspace,
} from "../../contract/index.ts"
import { processLimits } from "../limits.ts"
import { withoutPipefail } from "./run-to-end.ts"

/** How a process is doing, flat, so that a loop can steer on `state`. */
export const stateFields = {
  state: {
    enum: ["running", "exited", "killed", "gone"],
    description: "gone: its sandbox slept or was restarted, so nobody knows how it ended.",
  },
  "exit_code?": { type: "integer", description: "Of one that has exited." },
  "why?": { type: "string", description: "Why one is gone." },
} as const

const fields = {
  kind: { const: "process" },
  id: { type: "string", description: "Unlike a pid, never used for another one." },
  pid: { type: "integer", description: "Its number inside the sandbox." },
  command: { type: "string" },
  "args?": { type: "array", items: { type: "string" } },
  cwd: { type: "string" },
  log_file: { type: "string", description: "Where both of its output streams go." },
  started: { type: "string", format: "date-time" },
  ...stateFields,
} as const

/** One background process. */
export const processSchema = object(fields)

/** One that shell.exec has just started. */
export const startedSchema = object({ ...fields, background: { const: true } })

/** One that was waited for. */
export const waitedSchema = object({
  ...fields,
  "timed_out?": { const: true, description: "It still runs: timeout_ms was over first." },
})

/** A background process as every tool answers with it. */
export type ProcessResult = InferSchema<typeof processSchema>
type StateResult = Pick<ProcessResult, "state" | "exit_code" | "why">

export function processResult(status: ProcessStatus): ProcessResult {
  return {
    kind: "process",
    id: status.id,
    pid: status.pid,
    ...commandOf(status.command),
    cwd: status.cwd,
    log_file: status.logFile,
    started: new Date(status.startedMs).toISOString(),
    ...stateResult(status.state),
  }
}

export function stateResult(state: ProcessState): StateResult {
  switch (state.kind) {
    case "running":
    case "killed":
      return { state: state.kind }
    case "exited":
      return { state: "exited", exit_code: state.exitCode }
    case "gone":
      return { state: "gone", why: state.why }
    default:
      return state satisfies never
  }
}

function commandOf(command: ProcessStatus["command"]): Pick<ProcessResult, "command" | "args"> {
  if (typeof command === "string") return { command: cut(withoutPipefail(command)) }
  const [program = "", ...args] = command
  return { command: cut(program), args: args.slice(0, processLimits.argumentsShown).map(cut) }
}

/** The start of a script of a megabyte tells its caller which one it is. */
function cut(text: string): string {
  const most = processLimits.commandCharacters
  if (text.length <= most) return text
  return `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")} [...]`
}

/** One line for a process: how it is doing and where its output goes. */
export function showProcess(process: ProcessResult & { readonly timed_out?: true }): string {
  const { pid, command, args = [], log_file: log } = process
  const late = process.timed_out ? " (timeout_ms was over first)" : ""
  return `Process ${pid} (${[command, ...args].join(" ")}): ${showState(process)}${late}; its output is in ${log}`
}

/** "exited with exit code 1" */
export function showState({ state, exit_code: code, why }: StateResult): string {
  const ended = code === undefined ? state : `${state} with exit code ${code}`
  return why === undefined ? ended : `${ended}: ${why}`
}

/** How the tools name a process. */
export const pidArgument = {
  type: "integer",
  minimum: 1,
  description: "As process.start gave it.",
} as const

/** The process with this number that was started here. Numbers come again: a running one is meant, or the last. */
export async function findProcess(workspace: Workspace, pid: number): Promise<ProcessStatus> {
  const all = await workspace.processes.list()
  const same = all.filter((one) => one.pid === pid)
  const found = same.findLast((one) => one.state.kind === "running") ?? same.at(-1)
  if (found) return found
  const pids = all.slice(-10).map((one) => one.pid)
  throw new ToolFailure({
    kind: "not_found",
    message: `No process with pid ${pid} was started in the background of sandbox ${JSON.stringify(workspace.name)}; process.list shows those that were.`,
    field: "pid",
    expected: pids.length > 0 ? `one of ${pids.join(", ")}` : "a pid that process.start gave",
  })
}
