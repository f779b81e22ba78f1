import { limits, type ProcessState, type ProcessStatus } from "../../contract/index.ts"
import { withoutPipefail } from "./pipefail.ts"

/** A background process as every tool answers with it. */
export interface ProcessResult extends StateResult {
  readonly kind: "process"
  readonly id: string
  readonly pid: number
  readonly command: string
  readonly args?: readonly string[]
  readonly cwd: string
  readonly log_file: string
  readonly started: string
}

export interface StateResult {
  readonly state: ProcessState["kind"]
  readonly exit_code?: number
  readonly why?: string
}

export function processResult(status: ProcessStatus): ProcessResult {
  return {
    kind: "process" as const,
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
  return { command: cut(program), args: args.slice(0, limits.process.argumentsShown).map(cut) }
}

/** A script of a megabyte is known to whoever started it; its start tells which one it is. */
function cut(text: string): string {
  const most = limits.process.commandCharacters
  if (text.length <= most) return text
  return `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")} [...]`
}
