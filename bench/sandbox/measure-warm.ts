import { setTimeout as delay } from "node:timers/promises"
import { systemClock } from "../../src/kit/index.ts"
import { createWorkspace, type Host, type Sandbox, warmHost } from "../../src/sandbox/index.ts"
import { median } from "../harness/measure.ts"

const rounds = 31
const together = 4

/** Handing out a sandbox that is ready and running its first command, against a reference. They are made between the rounds. */
export async function measureWarm(host: Host, reference: () => Promise<void>): Promise<number> {
  let isBusy = false
  const warm = warmHost(host, { sandboxes: together, clock: systemClock, isBusy: () => isBusy })
  const timeOf = async (work: () => Promise<unknown>) => {
    const started = performance.now()
    for (let left = together; left > 0; left -= 1) await work()
    return performance.now() - started
  }
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    isBusy = false
    while (warm.ready() < together) await delay(10)
    isBusy = true
    const used: Sandbox[] = []
    const subject = await timeOf(async () => {
      const sandbox = await warm.create({ name: "warm" })
      used.push(sandbox)
      await createWorkspace(sandbox).exec("true")
    })
    ratios.push(subject / (await timeOf(reference)))
    await Promise.all(used.map((sandbox) => sandbox.destroy()))
  }
  await warm.close()
  return median(ratios)
}
