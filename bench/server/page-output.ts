import type { ConsoleFixture } from "../../test/console/console-fixture.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"
import { residentMegabytes } from "./process-facts.ts"

const command = "head -c 50000000 /dev/zero | tr '\\0' x | fold -w 100"

/** 50 MB of output while a page shows it, against the same while none does. */
export async function pageOutput(fixture: ConsoleFixture): Promise<readonly BenchRow[]> {
  const { client, pid } = fixture
  const print = (session: string) => async () => {
    const { envelope } = await client.request("calls.start", {
      ...{ session, tool: "shell.exec", input: { command } },
    })
    if (!Object(envelope).ok) throw new Error("The call failed.")
  }
  const [watched, unwatched] = [print("watched"), print("unwatched")]
  await watched()
  await unwatched()
  const { page } = await fixture.open("/s/watched")
  await page.locator("[data-call]").first().waitFor()
  await page.evaluate(`window.tasks = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.tasks.push(duration)
    }).observe({ entryTypes: ["longtask"] })`)
  const before = residentMegabytes(pid)
  const ratio = await measureTimeRatio(watched, unwatched, { rounds: 9, roundMs: 1 })
  const grown = residentMegabytes(pid) - before
  const longest = Number(await page.evaluate("Math.max(0, ...window.tasks)"))
  await page.context().close()
  return [
    {
      id: "page-output",
      what: "time of a call that prints 50 MB with a page open, against none",
      ...{ value: ratio, bar: 1.3, aim: 1.1, better: "lower" },
    },
    {
      id: "page-output-task",
      what: "the same: the longest task in the page, in ms",
      ...{ value: longest, bar: 200, aim: 50, better: "lower" },
    },
    {
      id: "page-output-memory",
      what: "the same: what the server's memory grew by in 900 MB of output, in MiB",
      ...{ value: grown, bar: 100, aim: 50, better: "lower" },
    },
  ]
}
