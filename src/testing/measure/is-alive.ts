import { setTimeout as pause } from "node:timers/promises"
import type { Workspace } from "../../contract/index.ts"
import { requireSoon, startStopwatch } from "./stopwatch.ts"

export async function isAlive(workspace: Workspace, pid: number): Promise<boolean> {
  return (await workspace.exec(`kill -0 ${pid}`)).exitCode === 0
}

/** Its parent may take a moment to notice that it is over. */
export async function requireGone(workspace: Workspace, pid: number): Promise<void> {
  const elapsed = startStopwatch()
  while (await isAlive(workspace, pid)) {
    requireSoon(`the end of process ${pid}`, elapsed())
    await pause(20)
  }
}
