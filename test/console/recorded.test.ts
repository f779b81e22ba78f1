import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type NewEntry, openRecord, type RecordStore } from "../../src/store/index.ts"
import { type ConsoleFixture, openConsole } from "./console-fixture.ts"

let fixture: ConsoleFixture
let store: RecordStore
beforeAll(async () => {
  fixture = await openConsole()
  store = await openRecord({ file: join(fixture.home, "record.sqlite") })
})
afterAll(async () => {
  await store?.close()
  await fixture?.[Symbol.asyncDispose]()
})

const at = Date.now()
const message = (role: string, text: string): NewEntry => {
  return { kind: "message", at, body: { message: { role, content: [{ type: "text", text }] } } }
}
function call(id: string, envelope: object, more: object = {}): NewEntry[] {
  return [
    { kind: "call", at, body: { call: id, tool: "shell.exec", input: { command: `echo ${id}` } } },
    { kind: "envelope", at, body: { call: id, envelope, duration_ms: 5, ...more } },
  ]
}
const done = {
  ...{ ok: true, tool: "shell.exec" },
  result: { kind: "command", stdout: "done", stderr: "", exit_code: 0, cwd: "/" },
}
const lost = { ok: false, tool: "shell.exec", kind: "execution_error", message: "Lost." }

async function record(session: string, entries: readonly NewEntry[]): Promise<void> {
  const opened = await store.open(session)
  for (let from = 0; from < entries.length; from += 1_000) {
    await opened.append(entries.slice(from, from + 1_000))
  }
  await opened.close()
}

/** The call whose card has the focus. */
const focused = "document.activeElement?.dataset.call"

describe("what was recorded before", () => {
  it("X4, O24: a model's text is markdown without its HTML, its scripts and its pictures", async () => {
    const text = [
      "# Plan\n\n**Bold** and `code`.\n\n- one\n- two\n",
      "<script>window.hit = 1</script>\n\n<img src=x onerror='window.hit = 1'>\n",
      "[bank](https://evil.example/path) [run](javascript:window.hit=1)\n",
      "![pixel](https://tracker.example/p.png)\n\n```js\nconst a = 1\n```\n\n\u202egnp.exe\n",
    ].join("\n")
    await record("talk", [message("user", "Go on"), message("assistant", text)])
    const { page, problems } = await fixture.open("/s/talk")
    const said = page.locator(".card.message.assistant")
    await said.getByRole("heading", { name: "Plan" }).waitFor()
    await said.locator(".tok-keyword").waitFor()
    expect(await said.locator("script, img").count()).toBe(0)
    expect(await page.evaluate("window.hit")).toBeUndefined()
    const links = said.getByRole("link")
    expect(await links.allTextContents()).toEqual([
      "bank (evil.example)",
      "Image: pixel (tracker.example)",
    ])
    expect(await links.first().getAttribute("rel")).toBe("noopener noreferrer")
    expect(await said.textContent()).toContain("<U+202E>gnp.exe")
    expect(problems).toEqual([])
  })

  it("O24, Y11: a restart is told, a task is below its call, and one broken card breaks no other", async () => {
    await record("parent/task-1", call("inner-1", done))
    await record("parent", [
      ...call("lost-1", lost, { interrupted: "unknown" }),
      ...call("broken-1", { ...done, warnings: "not a list" }),
      ...call("task-1", done),
      { kind: "child", at, body: { call: "task-1", session: "parent/task-1", spent: {} } },
    ])
    const { page, problems } = await fixture.open("/s/parent")
    await page.locator('[data-call="lost-1"][data-state="interrupted"]').waitFor()
    await page.getByText("This card can't be shown").waitFor()
    const parent = page.locator('[data-call="task-1"]')
    await parent.locator(".child > summary").click({ position: { x: 4, y: 8 } })
    await parent.locator('[data-call="inner-1"]').waitFor()
    expect(problems).toEqual([])
  })

  it("O24, X7: keys go from card to card and open the receipt", async () => {
    await record("keys", [...call("first-1", done), ...call("second-1", done)])
    const { page, problems } = await fixture.open("/s/keys")
    await page.locator('[data-call="second-1"]').waitFor()
    await page.keyboard.press("j")
    await expect.poll(() => page.evaluate(focused)).toBe("second-1")
    await page.keyboard.press("k")
    await expect.poll(() => page.evaluate(focused)).toBe("first-1")
    await page.keyboard.press("Enter")
    await page.getByRole("complementary", { name: "Receipt" }).getByText("echo first-1").waitFor()
    expect(problems).toEqual([])
  })

  it("O24: a session of 10,000 calls opens at its end and keeps its place while earlier ones load", async () => {
    const entries = Array.from({ length: 10_000 }, (_, index) => call(`n-${index}`, done)).flat()
    await record("huge", entries)
    const { page, problems } = await fixture.open("/s/huge")
    await page.locator('[data-call="n-9999"]').waitFor()
    expect(await page.locator("[data-call]").count()).toBeLessThan(60)
    // The first loaded card is seen at the same place before and after the page before it has come.
    const scroller = "document.querySelector('.scroller')"
    const height = Number(await page.evaluate(`${scroller}.scrollHeight`))
    await page.evaluate(`${scroller}.scrollTo(0, 0)`)
    const grown = () => page.evaluate<number>(`${scroller}.scrollHeight - ${height}`)
    await expect.poll(grown).toBeGreaterThan(1_000)
    expect(Number(await page.evaluate(`${scroller}.scrollTop`))).toBeGreaterThan(1_000)
    await page.goto(new URL("/s/huge?call=n-17", page.url()).href)
    const receipt = page.getByRole("complementary", { name: "Receipt" })
    await receipt.getByText("echo n-17").waitFor()
    expect(problems).toEqual([])
  })
})
