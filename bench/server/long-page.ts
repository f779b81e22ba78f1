import { join } from "node:path"
import type { Page } from "playwright-core"
import { type NewEntry, openRecord } from "../../src/store/index.ts"
import type { ConsoleFixture } from "../../test/console/console-fixture.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

/** So fast that the whole session takes seconds, and each frame draws nothing but new cards. */
const screensEachFrame = 4

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
      what: "the longest frame while the page scrolls from its end to its beginning, 4 screens a frame, in ms",
      ...{ value: slowest, bar: 100, aim: 50, better: "lower" },
    },
    {
      id: "long-heap",
      what: "the page's memory after that, against the session of 10 calls",
      ...{ value: heap / shortHeap, bar: 2, aim: 1.5, better: "lower" },
    },
  ]
}

/** Calls that print up to 20 lines each, so that no two cards in a row are equally high. */
async function fill({ home }: ConsoleFixture, session: string, calls: number): Promise<void> {
  await using store = await openRecord({ file: join(home, "record.sqlite") })
  const record = await store.open(session)
  const batch = 500
  for (let done = 0; done < calls; done += batch) {
    const count = Math.min(batch, calls - done)
    await record.append(Array.from({ length: count }, (_, index) => entriesOf(done + index)).flat())
  }
  await record.close()
}

function entriesOf(number: number): readonly NewEntry[] {
  const [call, tool] = [`call-${number}`, "shell.exec"]
  const stdout = "a line of output\n".repeat(1 + ((number * 7) % 20))
  const result = { kind: "command", stdout, stderr: "", exit_code: 0, cwd: "/", duration_ms: 5 }
  const envelope = { ok: true, tool, result }
  const at = Date.now()
  return [
    { kind: "call", at, body: { call, tool, input: { command: `echo ${number}` } } },
    { kind: "envelope", at, body: { call, envelope, duration_ms: 5 } },
  ]
}

/** Up by some screens each frame, as after a fling, until the first call is seen; the longest time between two frames. */
async function scrollThrough(page: Page): Promise<number> {
  const gaps: number[] = await page.evaluate(`(async () => {
    const scroller = document.querySelector(".scroller")
    const times = []
    let last = performance.now()
    while (!document.querySelector('[data-call="call-0"]')) {
      scroller.scrollTop -= ${screensEachFrame} * innerHeight
      await new Promise(requestAnimationFrame)
      const now = performance.now()
      times.push(now - last)
      last = now
    }
    return times
  })()`)
  return Math.max(...gaps)
}

async function heapOf(page: Page): Promise<number> {
  const tools = await page.context().newCDPSession(page)
  await tools.send("HeapProfiler.collectGarbage")
  const { usedSize } = await tools.send("Runtime.getHeapUsage")
  await tools.detach()
  return usedSize
}
