import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
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
    const long = await call("shell.exec", { command: "seq 15000; seq 300000" })
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
    await card(long.call).getByRole("button", { name: "Show all output" }).click()
    const [first, last] = [
      card(long.call).locator("[data-stream=All]").first(),
      card(long.call).locator("[data-stream=All]").last(),
    ]
    await card(long.call).getByText("bytes were not recorded").waitFor()
    expect(await first.textContent()).toContain("\n14998\n14999\n15000\n1\n2\n")
    expect(await last.textContent()).toContain("\n299999\n300000\n")
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

  it("O24: what a call, a turn and a session changed has an address, with diffs that are true or say why not", async () => {
    const run = (command: string, session = "changed") => call("shell.exec", { command }, session)
    await run("mkdir d; printf 'one\\ntwo\\n' > d/a.txt; echo gone > b; echo KEY=1 > .env")
    const second = await run("echo '<b>three</b>' >> d/a.txt; rm b; printf '\\0' > raw")
    await run("echo temporary > t")
    await run("rm t; echo four >> d/a.txt")
    const changes = await fixture.client.request("changes.list", { session: "changed" })
    const files = changes.sandboxes[0]?.files ?? []
    expect(changes).toMatchObject({ calls: 4, turns: [], sandboxes: [{ below: "/home/user" }] })
    expect(files.map(({ path, change }) => [path, change])).toEqual([
      ...[".env", "d", "d/a.txt", "raw"].map((path) => [path, "created"]),
    ])
    expect(files[0]).toMatchObject({ unknown: expect.stringContaining("secrets") })
    expect(files[2]).toMatchObject({
      diff: "--- /dev/null\n+++ d/a.txt\n@@ -0,0 +1,4 @@\n+one\n+two\n+<b>three</b>\n+four\n",
      interrupted: false,
    })
    expect(files[2]?.calls).toHaveLength(3)

    const { page, problems } = await fixture.open(`/s/changed?call=${second.call}`)
    const did = page.getByRole("region", { name: "Did" })
    await did.getByText("d/a.txt (21 bytes)").click()
    await did.locator(".diff .added").getByText("<b>three</b>").waitFor()
    expect(await did.locator(".diff .removed").count()).toBe(0)
    await did.getByText("raw (1 bytes)").click()
    await did.getByText("Diff not known, because it is not text").waitFor()
    await did.getByText("b (5 bytes)", { exact: true }).click()
    await did.locator(".diff .removed").getByText("gone").waitFor()
    await did.getByRole("link", { name: "Changes of this call" }).click()
    const sandbox = page.getByRole("region", { name: "Sandbox default" })
    await sandbox.getByText("3 paths below /home/user").waitFor()
    expect(page.url()).toContain(`/s/changed/changes?call=${second.call}`)
    await page.getByRole("combobox", { name: "Changes of" }).selectOption("the whole session")
    await sandbox.getByText("4 paths below /home/user").waitFor()
    await run("echo live > live.txt")
    await sandbox.locator(".diff .added").getByText("live").waitFor()
    expect(problems).toEqual([])
  })

  it("O24, F20: the answer is shown as the MCP client got it, beside the envelope", async () => {
    const client = new Client({ name: "agent", version: "1" })
    const requestInit = { headers: { Authorization: `Bearer ${fixture.token}` } }
    const url = new URL("/mcp?session=agents", fixture.url)
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    const command = "echo '<i>out</i>'; exit 3"
    const answer = await client.callTool({ name: "shell_exec", arguments: { command } })
    const [block] = answer.content
    await client.close()
    const { sessions } = await fixture.client.request("sessions.list", {})
    const { name = "" } = sessions.find((one) => one.name.includes("agents")) ?? {}
    const { page, problems } = await fixture.open(`/s/${encodeURIComponent(name)}`)
    await page.getByRole("link", { name: "Receipt of shell_exec" }).click()
    const answered = page.getByRole("region", { name: "Answer" })
    await answered.getByText("As the MCP client got it, as text").click()
    const received = answered.locator(".received pre")
    expect(await received.textContent()).toBe(block?.type === "text" ? block.text : "no text")
    expect(await received.textContent()).toContain("<i>out</i>\n[exit code 3]")
    expect(problems).toEqual([])
  })

  it("X7: what a rule refuses says which rule", async () => {
    const { call: id } = await call("file.remove", { path: "x" }, "refused")
    const { page, problems } = await fixture.open(`/s/refused?call=${id}`)
    await page.locator(`[data-call="${id}"][data-state="refused"]`).waitFor({ state: "attached" })
    const allowed = page.getByRole("region", { name: "Allowed" })
    await allowed.getByText("Nothing is removed here.").waitFor()
    expect(await allowed.textContent()).toContain("Refused by")
    const where = /toolkeep\.yaml, line 3/
    expect(await allowed.textContent()).toMatch(where)
    const change = allowed.getByText("To decide otherwise: Remove tools.rules[0]")
    await change.waitFor()
    expect(await change.textContent()).toMatch(where)
    expect(await change.textContent()).toContain("then it is allowed.")
    expect(problems).toEqual([])
  })
})
