import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ConsoleFixture, openConsole } from "./console-fixture.ts"

let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await openConsole()
})
afterAll(() => fixture?.[Symbol.asyncDispose]())

async function echo(session: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 20) {
    const batch = Array.from({ length: Math.min(20, count - at) }, () =>
      fixture.client.request("calls.start", {
        ...{ session, tool: "system.info", input: {} },
      }),
    )
    await Promise.all(batch)
  }
}

/** The calls of a session in the order in which they began. */
async function recordedCalls(session: string): Promise<string[]> {
  const calls: string[] = []
  for (let after = 0; ; ) {
    const { entries, head } = await fixture.client.request("entries.list", {
      ...{ session, after, limit: 512 },
    })
    for (const { kind, body } of entries) if (kind === "call") calls.push(Object(body).call)
    after = entries.at(-1)?.sequence ?? head
    if (after >= head) return calls
  }
}

/** All cards that are seen from the top to the end. */
async function readThrough(page: Page): Promise<string[]> {
  const seen: string[] = []
  for (let still = 0; still < 3; ) {
    const before = seen.length
    for (const call of await page.locator("[data-call]").evaluateAll(callsOf)) {
      if (!seen.includes(call)) seen.push(call)
    }
    still = seen.length === before ? still + 1 : 0
    await page.evaluate("document.querySelector('.scroller').scrollBy(0, 600)")
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
  }
  return seen
}

/** Until the first call is drawn: what is above may have to be loaded. */
async function scrollToTop(page: Page, first: string | undefined): Promise<void> {
  const scroll = async () => {
    await page.evaluate("document.querySelector('.scroller').scrollTo(0, 0)")
    return page.locator(`[data-call="${first}"]`).isVisible()
  }
  await expect.poll(scroll).toBe(true)
}

const callsOf = (cards: readonly object[]) => cards.map((card) => Object(card).dataset.call)

describe("a long session", () => {
  it("O24: opens at its end, loads the rest without a jump, and holds a bounded part", async () => {
    await echo("long", 1_200)
    const calls = await recordedCalls("long")
    const { page, problems } = await fixture.open("/s/long")
    const last = page.locator(`[data-call="${calls.at(-1)}"]`)
    await last.waitFor()
    const drawn = await page.locator("[data-call]").count()
    expect(drawn).toBeLessThan(60)
    await scrollToTop(page, calls[0])
    await echo("long", 3)
    await page.getByRole("button", { name: /new|To the end/ }).click()
    const newest = (await recordedCalls("long")).at(-1)
    await page.locator(`[data-call="${newest}"]`).waitFor()
    expect(problems).toEqual([])
  })

  it("O24, Y9: after the server was away, the page has each call once and in order", async () => {
    await echo("away", 5)
    const { page, problems } = await fixture.open("/s/away")
    await page.locator("[data-call]").first().waitFor()
    await fixture.stop()
    await page.getByText(/Offline since/).waitFor()
    await fixture.start()
    await echo("away", 15)
    const calls = await recordedCalls("away")
    await page.locator(`[data-call="${calls.at(-1)}"]`).waitFor()
    await scrollToTop(page, calls[0])
    expect(await readThrough(page)).toEqual(calls)
    // The browser itself reports each connection that fails while the server is away.
    expect(problems.filter((text) => !text.includes("net::ERR_"))).toEqual([])
  })

  it("O24: of 50 MB of live output the page holds the end", async () => {
    const { page, problems } = await fixture.open("/")
    const { call } = await fixture.client.request("calls.start", {
      ...{ session: "flood", tool: "shell.exec", wait: false },
      input: {
        command: "sleep 3; seq 1 6500000",
      },
    })
    await page.goto(new URL("/s/flood", page.url()).href)
    await page.locator(`[data-call="${call}"]`).waitFor()
    await page.evaluate(`
      window.most = 0
      new MutationObserver(() => {
        const length = document.querySelector(".tail")?.textContent.length ?? 0
        window.most = Math.max(window.most, length)
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
    `)
    await page.locator(`[data-call="${call}"][data-state="ok"]`).waitFor()
    const most = Number(await page.evaluate("window.most"))
    expect(most).toBeGreaterThan(1_000)
    expect(most).toBeLessThan(20_000)
    expect(problems).toEqual([])
  })
})
