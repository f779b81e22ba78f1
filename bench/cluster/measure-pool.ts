import { sleep, systemClock } from "../../src/kit/index.ts"
import { createWorkspace, type Host, type WarmHost, warmHost } from "../../src/sandbox/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { median } from "../harness/measure.ts"

const rounds = 5
const lookMs = 200

/** A new sandbox to the answer of its first command: from the pool, and from nothing. */
export async function measurePool(host: Host): Promise<BenchRow> {
  const warm = warmHost(host, { sandboxes: 1, clock: systemClock, isBusy: () => false })
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await untilReady(warm)
    const pooled = await timeFirst(warm)
    // What refills the pool is no part of the other figure.
    await untilReady(warm)
    ratios.push(pooled / (await timeFirst(host)))
  }
  await warm.close()
  return {
    id: "cluster-pool",
    what: "create from the pool to the first answer, against a cold create (ratio)",
    value: median(ratios),
    bar: 0.3,
    aim: 0.1,
    better: "lower",
  }
}

async function timeFirst(host: Host): Promise<number> {
  const began = performance.now()
  const sandbox = await host.create({ name: "first" })
  await createWorkspace(sandbox).exec("true")
  const took = performance.now() - began
  await sandbox.destroy()
  return took
}

async function untilReady(warm: WarmHost): Promise<void> {
  while (warm.ready() < 1) await sleep(lookMs)
}
