import { type ProcessStatus, ToolFailure, type Workspace } from "../../contract/index.ts"

/** How the tools name a process. */
export const pidArgument = {
  type: "integer",
  minimum: 1,
  maximum: 2 ** 31 - 1,
  description: "The pid that starting it answered with, such as 42.",
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
