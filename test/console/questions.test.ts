import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
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
    // What a person wrote is judged again, and the same rule asks again.
    const again = await questionOf("edit")
    await cardOf(page, again).getByRole("button", { name: "Approve" }).click()
    expect((await editing).envelope).toMatchObject({ ok: true, result: { path: "b.txt" } })
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

  it("X7: a notification opens exactly its question", async () => {
    const { page, problems } = await fixture.open("/", { permissions: ["notifications"] })
    // Nobody can click on a notification of a browser without a screen.
    await page.evaluate(`
      window.shown = []
      document.hasFocus = () => false
      window.Notification = class { constructor(title) { window.shown.push(this); this.title = title } close() {} }
    `)
    const asked = write("notified", "a.txt")
    const question = await questionOf("notified")
    await expect.poll(() => page.evaluate("window.shown.length")).toBe(1)
    await page.evaluate("window.shown[0].onclick()")
    const card = cardOf(page, question)
    await card.waitFor()
    await expect
      .poll(() => page.evaluate("document.activeElement?.dataset.question"))
      .toBe(question)
    await card.getByRole("button", { name: "Approve" }).click()
    expect((await asked).envelope).toMatchObject({ ok: true })
    expect(problems).toEqual([])
  })
})
