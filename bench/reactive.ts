import { once } from "node:events"
import { Worker } from "node:worker_threads"
import type { BenchRow } from "./harness/bench-row.ts"
import { manyPages } from "./reactive/many-pages.ts"
import { pages } from "./reactive/pages.ts"

export async function suite(): Promise<readonly BenchRow[]> {
  const { deep, wide } = await measurePropagation()
  const row = (id: string, what: string, value: number): BenchRow => ({
    ...{ id, value, bar: 1.5, aim: 1.2, better: "lower" },
    what: `time of a change through 10,000 computed nodes, ${what}, against bare signals-core`,
  })
  return [
    row("propagation-deep", "one after the other", deep),
    row("propagation-wide", "all from one", wide),
    ...(await pages()),
    ...(await manyPages()),
  ]
}

/** On a thread of its own: signals-core goes through a chain by calling itself, and 10,000 need a larger stack. */
async function measurePropagation(): Promise<{ readonly deep: number; readonly wide: number }> {
  const worker = new Worker(new URL("reactive/measure-propagation.ts", import.meta.url), {
    resourceLimits: { stackSizeMb: 64 },
  })
  const [measured] = await once(worker, "message")
  await worker.terminate()
  return measured
}
