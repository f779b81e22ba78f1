import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openBrowser } from "../support/open-browser.ts"
import { type ConsoleFixture, openConsole } from "./console-fixture.ts"

const config = "tools:\n  hooks:\n    confirm: [file.write]\n"
let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await openConsole(config)
})
afterAll(() => fixture?.[Symbol.asyncDispose]())

function write(session: string, path: string) {
  return fixture.client.request("calls.start", {
    ...{ session, tool: "file.write", input: { path, content: "hello" } },
  })
}

/** The id of the question about a session's call. */
async function questionOf(session: string): Promise<string> {
  const find = async () => {
    const { questions } = await fixture.client.request("questions.list", {})
    return questions.find((one) => one.session === session)?.question
  }
  await expect.poll(find).toBeDefined()
  return (await find()) ?? ""
}

const cardOf = (page: Page, question: string) => page.locator(`[data-question="${question}"]`)

describe("questions in the console", () => {
  it("X7, O4: deny tells the model why, edit runs other arguments, always shows its rule and is withdrawn", async () => {
    const { page, problems } = await fixture.open("/waiting")
    await page.getByText("Nothing waits").waitFor()

    const denied = write("deny", "a.txt")
    const deny = cardOf(page, await questionOf("deny"))
    await deny.getByRole("button", { name: "Deny" }).click()
    await deny.getByLabel("Reason").fill("Not today")
    await deny.getByRole("button", { name: "Deny" }).click()
    expect((await denied).envelope).toMatchObject({ kind: "user_denied" })
    await deny.getByText("You denied it.").waitFor()

    const editing = write("edit", "a.txt")
    const edit = cardOf(page, await questionOf("edit"))
    await edit.getByRole("button", { name: "Edit" }).click()
    await edit.getByLabel("Arguments as JSON").fill("{")
    await edit.getByRole("button", { name: "Run with these" }).click()
    await edit.getByRole("alert").waitFor()
    await edit
      .getByLabel("Arguments as JSON")
      .fill(JSON.stringify({ path: "b.txt", content: "edited" }))
    await edit.getByRole("button", { name: "Run with these" }).click()
    await edit.getByText("You approved it with other arguments.").waitFor()
    // What a person wrote is judged again, and the same rule does not ask the same again.
    expect((await editing).envelope).toMatchObject({
      ...{ ok: true, result: { path: "b.txt" } },
      warnings: [expect.stringContaining("A person changed the arguments of this call to")],
    })
    expect(await edit.textContent()).toContain('"a.txt"')
    expect(await edit.textContent()).toContain('"edited"')

    const always = write("always", "a.txt")
    const ask = cardOf(page, await questionOf("always"))
    await ask.getByRole("button", { name: "Always" }).click()
    await ask.getByText("is not asked about any more").waitFor()
    await ask.getByRole("button", { name: "Always allow" }).click()
    await always
    expect((await write("always", "b.txt")).envelope).toMatchObject({ ok: true })
    await ask.getByRole("link", { name: "always" }).click()
    await page.getByText("Always allowed: 1").click()
    await page.getByRole("button", { name: "Withdraw" }).click()
    await page.getByText("Always allowed").waitFor({ state: "detached" })
    expect(problems).toEqual([])
  })

  it("X7: keys answer only the question that has the focus; who was first is shown to the others", async () => {
    const first = await fixture.open("/waiting")
    const second = await fixture.open("/waiting")
    const one = write("keys", "a.txt")
    const other = write("others", "a.txt")
    const keyed = cardOf(first.page, await questionOf("keys"))
    const waits = cardOf(first.page, await questionOf("others"))
    await keyed.waitFor()
    await waits.waitFor()
    await first.page.keyboard.press("a")
    await keyed.focus()
    // Keys count after half a second on screen, so the press is repeated until it does.
    const press = async () => {
      await keyed.press("a")
      return keyed.getByText("You approved it.").isVisible()
    }
    await expect.poll(press).toBe(true)
    expect((await one).envelope).toMatchObject({ ok: true })
    await waits.getByRole("button", { name: "Approve" }).waitFor()
    const there = cardOf(second.page, await questionOf("others"))
    await there.getByRole("button", { name: "Approve" }).click()
    expect((await other).envelope).toMatchObject({ ok: true })
    await waits.getByText(/Approved by .*Chrome/).waitFor()
    expect([...first.problems, ...second.problems]).toEqual([])
  })

  it("X7: the keys of a question open its forms, and u goes from one question to the next", async () => {
    const { page, problems } = await fixture.open("/")
    const one = write("forms", "a.txt")
    const first = await questionOf("forms")
    const other = write("forms-2", "a.txt")
    const second = await questionOf("forms-2")
    await page.getByRole("link", { name: "Waiting 2" }).waitFor()
    await expect.poll(() => page.title()).toBe("(2) Toolkeep")
    const icon = page.locator('link[rel="icon"]')
    await expect.poll(() => icon.getAttribute("href")).toBe("/icons/waiting.svg")
    const focused = "document.activeElement?.dataset.question"
    const seen = new Set<unknown>()
    for (let presses = 0; presses < 2; presses += 1) {
      const before = page.url()
      await page.keyboard.press("u")
      await page.waitForURL((url) => url.pathname === "/waiting" && url.href !== before)
      await expect.poll(() => page.evaluate(focused)).toBeTruthy()
      seen.add(new URL(page.url()).searchParams.get("question"))
    }
    expect(seen).toEqual(new Set([first, second]))
    const card = cardOf(page, second)
    const forms = [
      { key: "d", field: "Reason, which the model is told (may be empty)" },
      { key: "e", field: "Arguments as JSON" },
    ]
    for (const { key, field } of forms) {
      await opens(key, () => card.getByRole("textbox", { name: field }).isVisible())
      await card.getByRole("button", { name: "Back" }).click()
    }
    await opens("A", () => card.getByRole("button", { name: "Always allow" }).isVisible())
    await card.getByRole("button", { name: "Back" }).click()
    for (const id of [first, second]) {
      await cardOf(page, id).getByRole("button", { name: "Approve" }).click()
    }
    await Promise.all([one, other])
    await expect.poll(() => page.title()).toBe("Toolkeep")
    expect(await icon.getAttribute("href")).toBe("/icons/idle.svg")
    expect(problems).toEqual([])

    /** Keys count after half a second on screen, so the press is repeated until it does. */
    async function opens(key: string, isOpen: () => Promise<boolean>) {
      const press = async () => {
        if (await isOpen()) return true
        await card.focus()
        await card.press(key)
        return isOpen()
      }
      await expect.poll(press).toBe(true)
    }
  })

  it("X7: ten windows of one browser are live at once, each with its session and what waits", async () => {
    const { page, problems } = await fixture.open("/waiting")
    const start = (session: string, command: string) =>
      fixture.client.request("calls.start", { session, tool: "shell.exec", input: { command } })
    const names = Array.from({ length: 10 }, (_, index) => `window-${index}`)
    for (const name of names) await start(name, "echo before")
    const windows = await Promise.all(
      names.map(async (name) => {
        const opened = await page.context().newPage()
        opened.setDefaultTimeout(90_000)
        await opened.goto(new URL(`/s/${name}`, page.url()).href)
        await opened.getByText("echo before").waitFor()
        return { name, opened }
      }),
    )
    const asked = write("window-0", "a.txt")
    for (const { name, opened } of windows) {
      // What it prints is on the page before it ends, which only a stream tells.
      const ended = start(name, "echo live; until [ -e seen ]; do sleep 0.1; done")
      await opened.locator("[data-state=running] pre.tail").getByText("live").waitFor()
      await opened.getByRole("link", { name: "Waiting 1" }).waitFor()
      await start(name, "touch seen")
      expect((await ended).envelope).toMatchObject({ ok: true })
    }
    await page.getByRole("button", { name: "Approve" }).click()
    await asked
    for (const { opened } of windows) {
      await opened.getByRole("link", { name: "Waiting", exact: true }).waitFor()
      await opened.close()
    }
    expect(problems).toEqual([])
  })

  it("O24, X7: Now shows what waits, what runs with its output, and what failed meanwhile", async () => {
    const { page, problems } = await fixture.open("/")
    await page.getByRole("heading", { name: "Now" }).waitFor()
    const running = await fixture.client.request("calls.start", {
      ...{ session: "now", tool: "shell.exec", wait: false },
      input: { command: "echo begun; sleep 1000" },
    })
    const card = page.locator(`[data-running="${running.call}"]`)
    await card.getByText("begun").waitFor()
    await fixture.client.request("calls.start", {
      ...{ session: "now", tool: "file.read", input: { path: "missing.txt" } },
    })
    await page.getByRole("heading", { name: "Failed since you last looked" }).waitFor()
    await card.getByRole("button", { name: "Terminate" }).click()
    await card.waitFor({ state: "detached" })
    const asked = write("now", "a.txt")
    await page.getByRole("button", { name: "Approve" }).click()
    await asked
    await page.getByRole("button", { name: "Seen" }).click()
    await page.getByText("Failed since you last looked").waitFor({ state: "detached" })
    expect(problems).toEqual([])
  })

  it("X7: the browser shows a notification of a new question, which opens exactly that one", async () => {
    await using browser = await openBrowser(["--headless=new"], "chromium")
    const context = await browser.newContext({ permissions: ["notifications"] })
    const page = await context.newPage()
    page.setDefaultTimeout(90_000)
    // Nobody can click outside of the page, so the test remembers what the page gave to the browser. To Chromium without
    // a screen, each page has the focus.
    await page.addInitScript(`
      window.given = []
      document.hasFocus = () => false
      window.Notification = class extends Notification {
        constructor(...args) {
          super(...args)
          window.given.push(this)
          this.addEventListener("show", () => (this.wasShown = true))
        }
      }
    `)
    await page.goto(await fixture.link())
    const before = write("notified-before", "a.txt")
    await page.getByRole("link", { name: "Waiting 1" }).waitFor()
    const known = Number(await page.evaluate("window.given.length"))
    const asked = write("notified", "a.txt")
    const question = await questionOf("notified")
    const shown = `window.given.filter(({ tag, wasShown }) => wasShown && tag === "${question}")`
    await expect.poll(() => page.evaluate(`${shown}.length`)).toBe(1)
    expect(await page.evaluate(`${shown}.map(({ title, body }) => [title, body])`)).toEqual([
      ["file.write asks", "Session notified"],
    ])
    expect(await page.evaluate("window.given.length")).toBe(known + 1)
    await page.evaluate(`${shown}[0].dispatchEvent(new Event("click"))`)
    const card = cardOf(page, question)
    await card.waitFor()
    await expect
      .poll(() => page.evaluate("document.activeElement?.dataset.question"))
      .toBe(question)
    await card.getByRole("button", { name: "Approve" }).click()
    expect((await asked).envelope).toMatchObject({ ok: true })
    await page.getByRole("button", { name: "Approve" }).click()
    await before
  })
})
