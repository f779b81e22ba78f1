import { setTimeout as wait } from "node:timers/promises"
import type { ConsoleFixture } from "../../test/console/console-fixture.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { processorSeconds } from "./process-facts.ts"

const seconds = 60

/** What a page that is left open costs while nothing happens. */
export async function idle(fixture: ConsoleFixture): Promise<readonly BenchRow[]> {
  const { page } = await fixture.open("/")
  await wait(5_000)
  const server = () => processorSeconds(fixture.pid)
  const own = () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000_000
  const browser = () => processorSeconds(process.pid) - server() - own()
  const before = [browser(), server()] as const
  await wait(seconds * 1_000)
  const used = [browser() - before[0], server() - before[1]] as const
  await page.context().close()
  const share = (spent: number) => (spent / seconds) * 100
  const goals = { bar: 1, aim: 0.3, better: "lower" } as const
  return [
    {
      id: "idle-page",
      what: "a minute with nothing happening: the whole browser, in % of a core",
      ...{ value: share(used[0]), ...goals },
    },
    {
      id: "idle-server",
      what: "the same: the server, in % of a core",
      ...{ value: share(used[1]), ...goals },
    },
  ]
}
