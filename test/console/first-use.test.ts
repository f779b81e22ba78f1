import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ConsoleFixture, openConsole } from "./console-fixture.ts"

const config = "tools:\n  hooks:\n    confirm: [file.write]\n"
let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await openConsole(config)
})
afterAll(() => fixture?.[Symbol.asyncDispose]())

describe("the console", () => {
  it("O24, X7: signs in by a link, shows a call live and ends it", async () => {
    const { page, problems } = await fixture.open()
    expect(page.url()).not.toContain("in-")
    const { call } = await fixture.client.request("calls.start", {
      ...{ session: "demo", tool: "shell.exec", wait: false },
      input: { command: "echo begun; sleep 1000" },
    })
    await page.getByRole("main").getByRole("link", { name: "demo", exact: true }).first().click()
    const card = page.locator(`[data-call="${call}"]`)
    await card.getByText("begun").first().waitFor()
    await card.getByRole("button", { name: "Terminate" }).click()
    await card.getByText("ended by a person").first().waitFor()
    await card.getByText("Nothing of it runs any more.").waitFor()
    expect(problems).toEqual([])
  })

  it("X7, O4: a question arrives by itself, and its answer lets the call run", async () => {
    const { page, problems } = await fixture.open("/waiting")
    await page.getByText("Nothing waits").waitFor()
    const call = fixture.client.request("calls.start", {
      ...{ session: "asks", tool: "file.write" },
      input: { path: "note.txt", content: "hello" },
    })
    await page.getByRole("button", { name: "Approve" }).click()
    expect((await call).envelope).toMatchObject({ ok: true })
    await page.getByText("Nothing waits").waitFor()
    expect(problems).toEqual([])
  })

  it("O26: a link works once, and says so to the second browser", async () => {
    const link = await fixture.link()
    const first = await fixture.browse(link)
    await first.page.getByRole("navigation").waitFor()
    const second = await fixture.browse(link)
    await second.page.getByText("This browser is not signed in").waitFor()
    await second.page.getByText("The code is not valid").waitFor()
    expect(first.problems).toEqual([])
  })

  it("O25, X7: a server that stops says so on the page, which shows how the last call ended", async () => {
    const start = (command: string) =>
      fixture.client.request("calls.start", {
        ...{ session: "stops", tool: "shell.exec", wait: false, input: { command } },
      })
    await start("true")
    const { page } = await fixture.open("/s/stops")
    const { call } = await start("echo begun; sleep 4; echo ended well")
    // For this one the server waits as long as it waits at all, however late the page is.
    await start("sleep 600")
    await page.locator(`[data-call="${call}"] pre.tail`).getByText("begun").waitFor()
    const stopped = fixture.stop()
    await page.getByText("The server is stopping.").waitFor()
    await page.locator(`[data-call="${call}"][data-state="ok"]`).waitFor()
    await stopped
    await page.getByText("Offline since").waitFor()
    await fixture.start()
  })
})
