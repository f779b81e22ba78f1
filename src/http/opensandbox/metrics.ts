import { availableParallelism, totalmem } from "node:os"
import { ToolFailure, type Unknown } from "../../contract/index.ts"
import { apiName, type Handler, json } from "./request.ts"

/** How much of its processors a sandbox has used on average since it was started, and its memory now. */
export const getMetrics: Handler = async ({ id }, { sandboxes, clock }) => {
  const { session, stored } = await sandboxes.use(apiName, id)
  const { cpuMs, memoryBytes, limits } = await session.sandboxes.usage("default")
  const processors = limits.processors ?? availableParallelism()
  const lifeMs = Math.max(1, clock.now() - stored.createdMs)
  return json({
    cpu_count: processors,
    cpu_used_pct: Math.min(100, (known(cpuMs) / lifeMs / processors) * 100),
    mem_total_mib: (limits.memoryBytes ?? totalmem()) / 1024 ** 2,
    mem_used_mib: known(memoryBytes) / 1024 ** 2,
    timestamp: clock.now(),
  })
}

function known(used: number | Unknown): number {
  if (typeof used === "number") return used
  const message = `What the sandbox uses is not known, because ${used.unknown}.`
  throw new ToolFailure({ kind: "unavailable", message, retryable: false })
}
