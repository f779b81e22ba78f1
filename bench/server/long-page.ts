import { setTimeout as wait } from "node:timers/promises"
import type { Page } from "playwright-core"
import type { ConsoleFixture } from "../../test/console/console-fixture.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio, median } from "../harness/measure.ts"

/** A session of 10,000 calls in a page, against one of 10. */
export async function longPage(fixture: ConsoleFixture): Promise<readonly BenchRow[]> {
  await fill(fixture, "short", 10)
  await fill(fixture, "long", 10_000)
  const { page } = await fixture.open("/")
  const show = (session: string) => async () => {
    await page.goto(new URL(`/s/${session}`, page.url()).href)
    await page.locator("[data-call]").last().waitFor()
  }
  const late = await measureTimeRatio(show("long"), show("short"), { rounds: 9, roundMs: 1 })
  await show("short")()
  const shortHeap = await heapOf(page)
  await show("long")()
  const slowest = await scrollThrough(page)
  const heap = await heapOf(page)
  await page.context().close()
  return [
    {
      id: "long-first-card",
      what: "time to the first card of a session of 10,000 calls, against one of 10",
      ...{ value: late, bar: 2, aim: 1.2, better: "lower" },
    },
    {
      id: "long-scroll",
      what: "the longest frame while the page scrolls from its end to its beginning, in ms",
      ...{ value: slowest, bar: 100, aim: 50, better: "lower" },
    },
    {
      id: "long-heap",
      what: "the page's memory after that, against the session of 10 calls",
      ...{ value: heap / shortHeap, bar: 2, aim: 1.5, better: "lower" },
    },
  ]
}

/** Not faster than the server lets one token ask. */
async function fill({ client }: ConsoleFixture, session: string, calls: number): Promise<void> {
  const batch = 40
  for (let done = 0; done < calls; done += batch) {
    const input = { session, tool: "system.info", input: {} }
    const count = Math.min(batch, calls - done)
    const started = Array.from({ length: count }, () => client.request("calls.start", input))
    await Promise.all([...started, wait(100)])
  }
}

/** Up by a screen each frame until nothing earlier is left; the longest time between two frames. */
async function scrollThrough(page: Page): Promise<number> {
  const gaps: number[] = await page.evaluate(`(async () => {
    const isScroller = (one) =>
      one.scrollHeight > one.clientHeight + 200 && getComputedStyle(one).overflowY !== "visible"
    const scroller = [...document.querySelectorAll("*")].find(isScroller) ?? document.documentElement
    const times = []
    let still = 0
    let last = performance.now()
    while (still < 120) {
      const before = scroller.scrollTop
      scroller.scrollTop = before - innerHeight
      await new Promise(requestAnimationFrame)
      const now = performance.now()
      times.push(now - last)
      last = now
      still = scroller.scrollTop === before ? still + 1 : 0
    }
    return times
  })()`)
  return Math.max(median(gaps), ...gaps.slice(2))
}

async function heapOf(page: Page): Promise<number> {
  const tools = await page.context().newCDPSession(page)
  await tools.send("HeapProfiler.collectGarbage")
  const { usedSize } = await tools.send("Runtime.getHeapUsage")
  await tools.detach()
  return usedSize
}
