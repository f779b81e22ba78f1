import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ConsoleFixture, openConsole } from "./console-fixture.ts"

const config = `tools:
  rules:
    - deny: file.remove
      when: { path: "." }
      because: Nothing is removed here.
`
let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await openConsole(config)
})
afterAll(() => fixture?.[Symbol.asyncDispose]())

function call(tool: string, input: Record<string, unknown>, session = "cards") {
  return fixture.client.request("calls.start", { session, tool, input })
}

describe("cards of calls", () => {
  it("O4, X4: show each result by its kind, and hostile text as text", async () => {
    const code = "// <b>hi</b>\nconst answer: number = 42\n"
    await call("file.write", { path: "src/a.ts", content: code })
    const listed = await call("file.list", { path: ".", recursive: true })
    const read = await call("file.read", { path: "src/a.ts" })
    const edited = await call("file.edit", {
      path: "src/a.ts",
      edits: [{ search: "42", replace: "43" }],
    })
    const printed = await call("shell.exec", {
      command:
        "printf '\\033[31mred\\033[0m \\033]0;title\\007<img src=x onerror=alert(1)>\\u202e'; exit 3",
    })
    const refused = await call("file.read", { path: "missing.txt" })
    const chart = await call("chart.render", {
      ...{ type: "bar", rows: [{ x: "a", y: 1 }], x: "x", y: "y" },
    })
    const { page, problems } = await fixture.open("/s/cards")
    const card = (id: string) => page.locator(`[data-call="${id}"]`)

    const image = card(chart.call).getByRole("img")
    await image.waitFor()
    const width = async () => Number(await image.getAttribute("width"))
    await expect.poll(width).toBeGreaterThan(300)
    await card(refused.call).getByText("not_found").waitFor()
    const red = card(printed.call).locator(".fg-1")
    expect(await red.textContent()).toBe("red")
    expect(await card(printed.call).textContent()).toContain("<img src=x onerror=alert(1)><U+202E>")
    await card(printed.call).getByText("exit code 3").first().waitFor()
    await page.getByRole("searchbox", { name: "Search the cards" }).fill("a.ts")
    await card(edited.call).locator(".diff .added").waitFor()
    expect(await card(edited.call).locator(".diff .removed").textContent()).toContain("42")
    await card(read.call).locator('[data-coloured="true"] .tok-keyword').first().waitFor()
    expect(await card(read.call).locator(".line-number").allTextContents()).toEqual(["1", "2"])
    await card(listed.call).getByText("src/").click()
    await card(listed.call).getByText("a.ts", { exact: true }).waitFor()
    expect(problems).toEqual([])
  })

  it("O24: a receipt has an address, and says what was sent, allowed, where, done and answered", async () => {
    const repaired = await call(
      "shell.exec",
      { command: "echo hi > made.txt; cat made.txt", timeout_ms: "5000" },
      "receipts",
    )
    const { page, problems } = await fixture.open("/s/receipts")
    await page.getByRole("link", { name: "Receipt of shell.exec" }).click()
    const receipt = page.getByRole("complementary", { name: "Receipt" })
    const part = (name: string) => receipt.getByRole("region", { name })
    await part("Sent").getByText('"timeout_ms": 5000').waitFor()
    await part("Sent").getByText('"timeout_ms": "5000"').waitFor()
    expect(await part("Allowed").textContent()).toContain("Allowed by")
    await part("Where").getByText("bubblewrap").waitFor()
    await part("Did").getByText("made.txt").waitFor()
    await part("Allowed").getByText("Every stage").click()
    await part("Allowed").getByRole("rowheader", { name: "profile allow" }).waitFor()
    await part("Answer").getByText("hi", { exact: true }).first().waitFor()
    expect(page.url()).toContain(`?call=${repaired.call}`)
    await page.reload()
    await part("Sent").getByText('"timeout_ms": 5000').waitFor()
    expect(problems).toEqual([])
  })

  it("X7: what a rule refuses says which rule", async () => {
    const { call: id } = await call("file.remove", { path: "x" }, "refused")
    const { page, problems } = await fixture.open(`/s/refused?call=${id}`)
    await page.locator(`[data-call="${id}"][data-state="refused"]`).waitFor({ state: "attached" })
    const allowed = page.getByRole("region", { name: "Allowed" })
    await allowed.getByText("Nothing is removed here.").waitFor()
    expect(await allowed.textContent()).toContain("Refused by")
    expect(problems).toEqual([])
  })
})
