import { type CallContext, limits } from "../../contract/index.ts"
import { findProcess } from "./find-process.ts"
import { type ProcessResult, processResult } from "./process-result.ts"

export async function killProcess(
  { pid, signal }: { readonly pid: number; readonly signal: "SIGTERM" | "SIGKILL" },
  context: CallContext,
): Promise<ProcessResult> {
  const workspace = await context.workspace()
  const found = await findProcess(workspace, pid)
  if (found.state.kind !== "running") {
    context.warn(`Process ${pid} was over already; nothing was ended.`)
    return processResult(found)
  }
  const graceMs = signal === "SIGKILL" ? 0 : limits.terminateGraceMs
  const killed = await workspace.processes.kill(found.id, { graceMs, signal: context.signal })
  return processResult(killed)
}
