import { setTimeout as pause } from "node:timers/promises"
import { ToolFailure, type Workspace } from "../../contract/index.ts"
import { previewLimits } from "../../sandbox/index.ts"

export interface ServerRequest {
  readonly port: number
  readonly wait_ms: number
}

/** Until something listens on the port; fails when nothing does in time. */
export async function waitForServer(
  workspace: Workspace,
  { port, wait_ms }: ServerRequest,
  signal: AbortSignal,
): Promise<void> {
  const started = performance.now()
  const { lookMs, lookMsMost } = previewLimits
  for (let step: number = lookMs; ; step = Math.min(step * 2, lookMsMost)) {
    const problem = await problemWith(workspace, port, signal)
    if (problem === null) return
    const left = wait_ms - (performance.now() - started)
    if (left <= 0) throw problem
    await pause(Math.min(step, left), undefined, { signal })
  }
}

async function problemWith(
  workspace: Workspace,
  port: number,
  signal: AbortSignal,
): Promise<ToolFailure | null> {
  try {
    const connection = await workspace.connect(port, { signal })
    connection.close()
    return null
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolFailure)) throw error
    const remedy = "Start the server in the background, look at its output, then try again."
    return new ToolFailure({
      kind: error.kind,
      message: `${error.message} ${remedy}`,
      field: "port",
    })
  }
}
