import type { CallContext } from "../../contract/index.ts"
import { findProcess } from "./find-process.ts"
import { processResult } from "./process-result.ts"

export async function waitForProcess(
  { pid, timeout_ms: timeoutMs }: { readonly pid: number; readonly timeout_ms: number },
  context: CallContext,
) {
  const workspace = await context.workspace()
  const { id } = await findProcess(workspace, pid)
  const signal = AbortSignal.any([context.signal, context.terminated])
  try {
    const status = await workspace.processes.wait(id, { timeoutMs, signal })
    const isRunning = status.state.kind === "running"
    return { ...processResult(status), ...(isRunning ? { timed_out: true } : {}) }
  } catch (error) {
    // A person who ends the wait does not end the process, and is told how it is doing.
    if (!context.terminated.aborted) throw error
    return processResult(await workspace.processes.status(id))
  }
}
