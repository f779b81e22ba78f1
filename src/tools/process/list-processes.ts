import type { Workspace } from "../../contract/index.ts"
import { takeFitting } from "../take-fitting.ts"
import { processResult } from "./process-result.ts"

export async function listProcesses(workspace: Workspace) {
  const all = (await workspace.processes.list()).map(processResult).reverse()
  const processes = takeFitting(all)
  return {
    kind: "processes" as const,
    processes,
    count: processes.length,
    running: all.filter((one) => one.state === "running").length,
    truncated: processes.length < all.length,
  }
}
