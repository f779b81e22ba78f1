import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openRecord } from "../../src/store/index.ts"
import { addAxe, violations } from "./axe.ts"
import { type ConsoleFixture, openConsole } from "./console-fixture.ts"

let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await openConsole()
})
afterAll(() => fixture?.[Symbol.asyncDispose]())

/** In the main part of the page. */
const main = (page: Page) => page.getByRole("main")

describe("the console", () => {
  it("X7: the first minute ticks each step as it happens", async () => {
    const { page, problems } = await fixture.open("/", { bypassCSP: true })
    await page.getByRole("heading", { name: "Your first minute" }).waitFor()
    await addAxe(page)
    expect(await violations(page)).toEqual([])
    // Without a model there is no box to ask one, and a sentence says what would bring it.
    await page.getByText("set TOOLKEEP_MODEL").waitFor()
    expect(await page.getByRole("textbox", { name: "Ask", exact: true }).count()).toBe(0)
    const done = (title: string) => page.getByRole("heading", { name: `${title} ✓ done` })
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await done("Run a tool").waitFor()
    await page.getByRole("button", { name: "Run one that asks" }).click()
    await page.getByText("the caller has a person asked first").first().waitFor()
    await page.getByRole("button", { name: "Approve" }).first().click()
    await done("Be asked").waitFor()
    await page.getByText("Claude Code", { exact: true }).first().click()
    await page.getByText("claude mcp add --transport http").first().waitFor()
    await fixture.client.request("calls.start", { session: "agent", tool: "system.info" })
    await done("Connect your agent").waitFor()
    await page.getByRole("button", { name: "Done", exact: true }).click()
    await page.getByRole("heading", { name: "Your first minute" }).waitFor({ state: "detached" })
    expect(problems).toEqual([])
  })

  it("X7: keys lead everywhere, are listed, and are letters while one types", async () => {
    const { page, problems } = await fixture.open("/", { bypassCSP: true })
    await addAxe(page)
    await page.keyboard.press("g")
    await page.keyboard.press("h")
    await main(page).getByRole("heading", { name: "Hosts" }).waitFor()
    await page.keyboard.press("/")
    await page.locator("input[type=search]:focus").waitFor()
    await page.keyboard.type("gn")
    expect(await page.getByRole("searchbox", { name: "Search sessions" }).inputValue()).toBe("gn")
    expect(new URL(page.url()).pathname).toBe("/hosts")
    await page.getByText("No session has this name.").waitFor()
    await page.getByRole("searchbox", { name: "Search sessions" }).fill("")
    await page.getByRole("link", { name: "Hosts" }).focus()
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).getByText("Show the keys").waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.keyboard.press("Control+k")
    await page.locator("[role=combobox]:focus").waitFor()
    await page.keyboard.type("session wel")
    await page.getByRole("option", { name: "Session welcome" }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press("Enter")
    await main(page).getByRole("heading", { name: "welcome" }).waitFor()
    await page.keyboard.press("]")
    await main(page).getByRole("heading", { name: "agent" }).waitFor()
    await page.keyboard.press("Escape")
    await main(page).getByRole("heading", { name: "Now" }).waitFor()
    expect(problems).toEqual([])
  })

  it("X4: a tool's form and its JSON are the same input, and Run shows the call", async () => {
    const { page, problems } = await fixture.open("/try?session=agent&tool=shell.exec")
    await page.getByLabel("command (needed)").fill("echo $((6 * 7))")
    await page.getByRole("tab", { name: "JSON" }).click()
    const json = page.getByLabel("Input as JSON")
    expect(JSON.parse(await json.inputValue())).toEqual({ command: "echo $((6 * 7))" })
    await json.fill('{"command": "echo $((6 * 7))", "timeout_ms": "5000"}')
    const would = page.getByRole("region", { name: "What would happen" })
    await would.getByText("Repaired: one thing").waitFor()
    await would.getByText("would run").waitFor()
    await page.getByRole("button", { name: "Run" }).click()
    await main(page).locator("[data-call]").getByText("42").first().waitFor()
    expect(problems).toEqual([])
  })

  it("X7: a sandbox's files are edited, sent and received, and it is forked and destroyed", async () => {
    const { page, problems } = await fixture.open("/b/agent/default")
    await page.getByLabel("Upload").setInputFiles({
      ...{ name: "sent.txt", mimeType: "text/plain", buffer: Buffer.from("one\n") },
    })
    await page.getByRole("link", { name: "sent.txt" }).click()
    await page.getByRole("textbox", { name: "Content of sent.txt" }).click()
    await page.keyboard.press("Control+Home")
    await page.keyboard.type("zero\n")
    await page.getByText("Not saved yet").waitFor()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved, 9 bytes.").waitFor()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ])
    expect(download.suggestedFilename()).toBe("sent.txt")
    await page.getByRole("button", { name: "Fork…" }).click()
    await page.getByLabel("Name of the new sandbox").fill("second")
    await page.getByRole("button", { name: "Fork", exact: true }).click()
    await main(page).getByRole("heading", { name: "second" }).waitFor()
    await page.getByRole("link", { name: "sent.txt" }).waitFor()
    await page.getByRole("button", { name: "Destroy" }).click()
    const dialog = page.getByRole("dialog", { name: "Destroy second?" })
    await dialog.getByRole("button", { name: "Destroy" }).click()
    await main(page).getByRole("heading", { name: "agent", exact: true }).waitFor()
    const { sandboxes } = await fixture.client.request("sandboxes.list", { session: "agent" })
    expect(sandboxes.map(({ sandbox }) => sandbox)).toEqual(["default"])
    expect(problems).toEqual([])
  })

  it("O24: a terminal of a sandbox works and is coloured under the page's own policy", async () => {
    const { page, problems } = await fixture.open("/b/agent/default?tab=terminal")
    await page.getByText("A shell in this sandbox").waitFor()
    await page.keyboard.type("printf '\\033[38;2;255;100;0mcolour\\033[0m\\n'; tty\n")
    const coloured = page.locator(".xterm-rows span", { hasText: /^colour$/ })
    await coloured.waitFor()
    const colour = coloured.evaluate(
      (element) => element.ownerDocument.defaultView?.getComputedStyle(element).color,
    )
    expect(await colour).toBe("rgb(255, 100, 0)")
    await page.locator(".xterm-rows").getByText("/dev/pts/").waitFor()
    await page.keyboard.type("exit 3\n")
    await page.getByText("The shell ended with 3.").waitFor()
    expect(problems).toEqual([])
  })

  it("C6, O27: a server inside a sandbox is shown in a frame, and its process is listed and killed", async () => {
    const command =
      "mkdir -p site && cd site && echo inside >index.html && exec python3 -m http.server 8000"
    const input = { command }
    await fixture.client.request("calls.start", { session: "agent", tool: "process.start", input })
    const { page, problems } = await fixture.open("/b/agent/default?tab=preview")
    await page.getByRole("button", { name: "Show" }).click()
    const frame = page.frameLocator("iframe.preview")
    await frame.getByText("inside").waitFor()
    await page.getByRole("link", { name: "Processes" }).click()
    await page.getByRole("button", { name: "Kill" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click()
    await page.getByRole("cell", { name: "killed" }).waitFor()
    expect(problems).toEqual([])
  })

  it("X7: a token's secret is shown once, works, and is refused when it is revoked", async () => {
    const { page, problems } = await fixture.open("/settings")
    await page.getByText("New token").click()
    await page.getByLabel("Name", { exact: true }).fill("reader")
    await page.getByLabel("May").selectOption("read")
    await page.getByRole("button", { name: "Create token" }).click()
    const secret = (await page.locator(".secret code").textContent()) ?? ""
    const ask = () =>
      fetch(`${fixture.url}/api/sessions`, { headers: { Authorization: `Bearer ${secret}` } })
    expect((await ask()).status).toBe(200)
    await page.reload()
    const row = page.getByRole("row", { name: "reader" })
    await row.getByText("Read only").waitFor()
    expect(await page.content()).not.toContain(secret)
    await row.getByRole("button", { name: "Revoke" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
    await row.waitFor({ state: "detached" })
    expect((await ask()).status).toBe(401)
    await page.getByLabel("Dark").check()
    const scheme = () =>
      page
        .locator("html")
        .evaluate((root) => root.ownerDocument.defaultView?.getComputedStyle(root).colorScheme)
    await expect.poll(scheme).toBe("dark")
    await page.reload()
    await page.getByRole("button", { name: "Sign out" }).waitFor()
    await expect.poll(scheme).toBe("dark")
    const device = await page.evaluate(() => localStorage.getItem("toolkeep-device"))
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click()
    await page.getByText("This browser is not signed in").waitFor()
    const { tokens } = await fixture.client.request("tokens.list", {})
    expect(tokens.map(({ token }) => token)).not.toContain(device)
    expect(problems).toEqual([])
  })

  it("Y16: offline, the page says since when and acts on nothing; back, it counts what it catches up with, and reloads for a newer server when nothing is typed", async () => {
    await recordCalls("away", 0, 1)
    const input = { command: "true" }
    await fixture.client.request("calls.start", { session: "agent", tool: "shell.exec", input })
    const { page } = await fixture.open("/s/away")
    await page.locator('[data-call="away-0"]').waitFor()
    const { page: other } = await fixture.open("/b/agent/default")
    const sleep = other.getByRole("button", { name: "Sleep" })
    await sleep.waitFor()
    await fixture.stop()
    await page.getByText("Offline since").waitFor()
    await other.getByText("Offline since").waitFor()
    expect(await sleep.isDisabled()).toBe(true)
    expect(await sleep.getAttribute("title")).toBe("The server can't be reached at the moment.")
    await other.close()
    await recordCalls("away", 1, 156)

    const newer = {
      version: "99.0.0",
      host: "bubblewrap",
      summary: "As before.",
      fallback: null,
      can: {},
    }
    await page.route("**/api/server", (route) => route.fulfill({ json: newer }))
    const streamed = Promise.withResolvers<void>()
    await page.route("**/api/sessions/away/events*", async (route) => {
      await streamed.promise
      await route.continue()
    })
    const search = page.getByRole("searchbox", { name: "Search sessions" })
    await search.fill("awa")
    await fixture.start()
    // As when a network is back: the page need not wait until it would try again.
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.getByText("Catching up (312 events)").waitFor()
    streamed.resolve()
    await page.getByText("Catching up").waitFor({ state: "detached" })
    await page.locator('[data-call="away-156"]').waitFor()

    // What is typed is not lost: the page reloads when the field is empty and left.
    await page.getByText("The server is now version 99.0.0").waitFor()
    await page.getByRole("button", { name: "Reload" }).waitFor()
    await page.evaluate("window.isOld = true")
    await page.getByRole("heading", { name: "away" }).click()
    expect(await search.inputValue()).toBe("awa")
    expect(await page.evaluate("window.isOld")).toBe(true)
    await search.fill("")
    await search.blur()
    await page.waitForFunction("window.isOld === undefined")
    await page.locator('[data-call="away-156"]').waitFor()
    expect(await page.getByText("The server is now").count()).toBe(0)
  })
})

/** As another process records them. */
async function recordCalls(session: string, first: number, count: number): Promise<void> {
  const store = await openRecord({ file: join(fixture.home, "record.sqlite") })
  const opened = await store.open(session)
  const at = Date.now()
  const result = { kind: "command", stdout: "", stderr: "", exit_code: 0, cwd: "/" }
  const envelope = { ok: true, tool: "shell.exec", result }
  await opened.append(
    Array.from({ length: count }, (_, index) => {
      const call = `away-${first + index}`
      return [
        { kind: "call", at, body: { call, tool: "shell.exec", input: { command: "true" } } },
        { kind: "envelope", at, body: { call, envelope, duration_ms: 1 } },
      ]
    }).flat(),
  )
  await opened.close()
  await store.close()
}
