import { setTimeout as sleep } from "node:timers/promises"
import { ToolFailure, type Unknown } from "../../../contract/index.ts"
import type { Clock } from "../../../kit/index.ts"
import type { Session } from "../../../session/index.ts"
import { httpLimits } from "../../limits.ts"

/** What a sandbox uses now. E2B has a row of such measures; here there is one, which is of this moment. */
export async function measureSandbox({ sandboxes }: Session, clock: Clock) {
  const before = await sandboxes.usage("default")
  const beforeMs = performance.now()
  await sleep(httpLimits.e2bMeasureMs)
  const { limits, ...now } = await sandboxes.usage("default")
  const tookMs = performance.now() - beforeMs
  const cpuMs = known(now.cpuMs) - known(before.cpuMs)
  const atMs = clock.now()
  return {
    timestamp: new Date(atMs).toISOString(),
    timestampUnix: Math.floor(atMs / 1000),
    cpuCount: limits.processors ?? 1,
    cpuUsedPct: Math.round((100 * cpuMs) / tookMs),
    memUsed: known(now.memoryBytes),
    memTotal: limits.memoryBytes ?? 0,
    memCache: 0,
    diskUsed: known(now.diskBytes),
    diskTotal: limits.diskBytes ?? 0,
  }
}

function known(measure: number | Unknown): number {
  if (typeof measure === "number") return measure
  const message = `What the sandbox uses is not known, because ${measure.unknown}`
  throw new ToolFailure({ kind: "unavailable", message, retryable: false })
}
