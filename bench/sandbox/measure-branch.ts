import { performance } from "node:perf_hooks"
import { createPool, type Host, type Pool, type PoolCheckpoint } from "../../src/sandbox/index.ts"
import { median } from "../harness/measure.ts"

const rounds = 11

/** In files of 100 kB. */
const fill = (megabytes: number) =>
  `for ((i = 0; i < ${megabytes * 10}; i++)); do head -c 100000 /dev/urandom >$i; done`

/**
 * How long a session takes to be restored from a checkpoint of 100 MB, until it has done its first command, against
 * one of 1 MB.
 */
export async function measureBranch(host: Host): Promise<number> {
  await using large = createPool(host)
  await using small = createPool(host)
  const checkpoints = [await filled(large, 100), await filled(small, 1)] as const
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const isLargeFirst = round % 2 === 0
    const early = isLargeFirst ? await timeOf(host, checkpoints[0]) : undefined
    const reference = await timeOf(host, checkpoints[1])
    ratios.push((early ?? (await timeOf(host, checkpoints[0]))) / reference)
  }
  return median(ratios)
}

async function filled(pool: Pool, megabytes: number): Promise<PoolCheckpoint> {
  await (await pool.workspace()).exec(fill(megabytes), { timeoutMs: 600_000 })
  return pool.checkpoint()
}

/** Destroying it is not part of the figure. */
async function timeOf(host: Host, checkpoint: PoolCheckpoint): Promise<number> {
  await using branch = createPool(host)
  const started = performance.now()
  await branch.restore(checkpoint)
  await (await branch.workspace()).exec("true")
  return performance.now() - started
}
