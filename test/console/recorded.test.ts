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
/** What was to be drawn is there, and so are the effects of it. */
const painted =
  "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"

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

  it("O24: the changes of a turn are those of its calls and of the tasks in it", async () => {
    const none = { count: 0, first: [] }
    const effects = (id: string, more: object): NewEntry => {
      const files = { below: "/home/user", created: none, changed: none, removed: none, ...more }
      return { kind: "call-effects", at, body: { call: id, sandbox: "default", shared: [], files } }
    }
    const one = (file: object) => ({ count: 1, first: [{ type: "file", bytes: 4, ...file }] })
    const said = (text: string) => ({ ...message("user", text), isMilestone: true })
    const session = await store.open("turns")
    const parent = { session: session.id, call: "t" }
    const task = await store.open("turns/task-1", { parent })
    const [first, second] = (await session.putTexts(["one\n", "two\n"])).map((hash) => ({ hash }))
    const [third] = (await task.putTexts(["three\n"])).map((hash) => ({ hash }))
    await task.append([effects("c", { changed: one({ path: "a", before: second, after: third }) })])
    await session.append([
      said("Make it"),
      effects("a", { created: one({ path: "a", after: first }) }),
      said("Change it"),
      effects("b", { changed: one({ path: "a", before: first, after: second }) }),
      { kind: "child", at, body: { call: "t", session: "turns/task-1", spent: {} } },
    ])
    await session.close()
    await task.close()
    const { page, problems } = await fixture.open("/s/turns/changes")
    const lines = (look: string) => page.locator(`.diff .${look}`).allTextContents()
    await page.locator(".diff .added").getByText("three").waitFor()
    expect(await lines("removed")).toEqual([])
    const chosen = page.getByRole("combobox", { name: "Changes of" })
    await chosen.selectOption("Change it")
    await page.locator(".diff .removed").getByText("one").waitFor()
    expect(page.url()).toContain("/s/turns/changes?turn=3")
    const links = page.getByRole("main").locator(".call-link")
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual([
      ...["/s/turns?call=b", "/s/turns%2Ftask-1?call=c"],
    ])
    expect((await lines("added")).map((line) => line.trim())).toEqual(["1+three"])
    await chosen.selectOption("Make it")
    await page.locator(".diff .added").getByText("one").waitFor()
    expect(await page.getByRole("region", { name: "Sandbox default" }).count()).toBe(1)
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

  it("X7: every key that ? lists does what it says", async () => {
    await record("older", call("old-1", done))
    await record("listed", [...call("one-1", done), ...call("two-1", done)])
    const start = { session: "listed", tool: "shell.exec", wait: false }
    const slow = await fixture.client.request("calls.start", {
      ...{ ...start, input: { command: "sleep 8206" } },
    })
    const { page, problems } = await fixture.open("/s/listed", {
      permissions: ["clipboard-read", "clipboard-write"],
    })
    const here = new URL("/s/listed", page.url()).href
    const tried = new Set<string>()
    const press = async (keys: string) => {
      tried.add(keys)
      const names = keys.replace("Ctrl+k", "Control+k").split(" ")
      // A view listens to its keys once it was painted.
      await page.evaluate(painted)
      for (const key of names) await page.keyboard.press(key)
    }
    const at = (path: string) => page.waitForURL((url) => url.pathname === path)
    const inState = (id: string, state: string) =>
      page.locator(`[data-call="${id}"][data-state="${state}"]`).waitFor()
    const focus = (id: string) =>
      expect
        .poll(async () => {
          await page.locator(`[data-call="${id}"]`).focus()
          await page.evaluate(painted)
          return page.evaluate(focused)
        })
        .toBe(id)

    // The cards.
    await inState(slow.call, "running")
    await press("j")
    await expect.poll(() => page.evaluate(focused)).toBe(slow.call)
    await press("k")
    await expect.poll(() => page.evaluate(focused)).toBe("two-1")
    await press("o")
    await page.locator('[data-call="two-1"] button[aria-pressed="true"]').waitFor()
    await press("y")
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toContain("echo two-1")
    await focus("two-1")
    await press("Enter")
    await page.waitForURL("**/s/listed?call=two-1")
    await page.goto(here)
    const terminate = page.locator(`[data-call="${slow.call}"]`).getByText("Terminate")
    await terminate.waitFor()
    await focus(slow.call)
    await press("t")
    await inState(slow.call, "ended-by-person")
    await press(".")
    await inState("one-1", "ok")

    // The page.
    await press("/")
    await page.locator("main input[type=search]:focus").waitFor()
    await page.locator("main").getByRole("heading", { name: "listed" }).click()
    await press("]")
    await page.waitForURL((url) => url.pathname !== "/s/listed")
    const next = decodeURIComponent(new URL(page.url()).pathname.slice("/s/".length))
    await page.locator("main").getByRole("heading", { name: next, exact: true }).waitFor()
    await press("[")
    await at("/s/listed")
    await press("Ctrl+k")
    await page.getByRole("dialog", { name: "Go to or do" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await press("`")
    await at("/b/listed/default")
    // A terminal takes the focus when it is open, and its keys with it; the files do not.
    await page.goto(new URL("/b/listed/default", here).href)
    await page.getByRole("navigation", { name: "Of this sandbox" }).waitFor()
    await press("Escape")
    await at("/s/listed")
    const places = { n: "/", w: "/waiting", b: "/b", t: "/try", p: "/policy", h: "/hosts" }
    for (const [key, path] of Object.entries({ ...places, ",": "/settings" })) {
      await press(`g ${key}`)
      await at(path)
    }
    await press("g s")
    await at("/s/listed")

    // Replay has its own; the test of replay uses them. The keys of questions are tested with questions.
    await inState("one-1", "ok")
    await press("?")
    const rows = page.getByRole("dialog", { name: "Keys" }).locator("tbody th")
    const listed = (await rows.allTextContents()).map((text) => text.trim())
    const written = new Map([
      ["Ctrl+k", "Ctrl K"],
      ["Escape", "Esc"],
    ])
    const expected = [...tried].map((keys) => (written.get(keys) ?? keys).replace(/^g /, "g"))
    expect(listed.filter((keys) => keys !== "u").toSorted()).toEqual(expected.toSorted())
    expect(problems).toEqual([])
  })

  it("O24: replay shows a call as it was at each entry, by address, keys, slider and player", async () => {
    const [started, ended] = call("asked-1", done)
    await record("past", [
      message("user", "Go"),
      ...(started ? [started] : []),
      { kind: "question", at, body: { call: "asked-1", prompt: "May it?" } },
      { kind: "answer", at, body: { call: "asked-1", answer: { kind: "approved", by: "me" } } },
      ...(ended ? [ended] : []),
    ])
    const { page, problems } = await fixture.open("/s/past/at/2")
    const card = page.locator('[data-call="asked-1"]')
    const isIn = (state: string) =>
      page.locator(`[data-call="asked-1"][data-state="${state}"]`).waitFor()
    await isIn("running")
    await page.keyboard.press("ArrowRight")
    await isIn("waiting")
    expect(await card.getByText("May it?").count()).toBe(1)
    // What was then can't be acted on now.
    expect(await card.getByRole("link", { name: "Answer", exact: true }).count()).toBe(0)
    expect(await card.getByRole("button").count()).toBe(0)
    await page.getByRole("button", { name: "Step" }).click()
    await isIn("running")
    await page.waitForURL("**/s/past/at/4")
    await page.getByRole("slider", { name: "Entry" }).fill("5")
    await isIn("ok")
    await page.getByText("Files at this entry").click()
    await page.getByText("No files were recorded until entry 5.").waitFor()
    await page.keyboard.press("Home")
    await card.waitFor({ state: "detached" })
    await page.keyboard.press("p")
    await isIn("ok")
    await page.getByRole("button", { name: "Play" }).waitFor()
    await page.waitForURL("**/s/past/at/5")
    await page.getByRole("button", { name: "Back to live" }).click()
    await page.waitForURL("**/s/past")
    await isIn("ok")
    await page.getByRole("link", { name: "Replay" }).click()
    await page.waitForURL("**/s/past/at/5")
    expect(problems).toEqual([])
  })

  it("O24: replay shows what a running call had printed until then, and not what came later", async () => {
    const { client } = fixture
    const start = (command: string, wait: boolean) =>
      client.request("calls.start", {
        ...{ session: "printing", tool: "shell.exec", input: { command }, wait },
      })
    const { call: id } = await start(
      "echo early; until [ -e go ]; do sleep 0.1; done; echo late",
      false,
    )
    const kinds = async () => {
      const { entries } = await client.request("entries.list", { session: "printing" })
      return entries.map(({ kind }) => kind)
    }
    await expect.poll(kinds, { timeout: 60_000 }).toContain("call-printed")
    await start("touch go", true)
    const ended = async () => (await kinds()).filter((kind) => kind === "envelope").length
    await expect.poll(ended).toBe(2)
    const entry = (await kinds()).indexOf("call-printed") + 1
    const { page, problems } = await fixture.open(`/s/printing/at/${entry}`)
    const card = page.locator(`[data-call="${id}"]`)
    await page.locator(`[data-call="${id}"][data-state="running"]`).waitFor()
    await card.getByText("early", { exact: true }).waitFor()
    expect(await card.locator("pre").last().textContent()).toBe("early\n")
    // Nothing was printed yet when it began.
    await page.keyboard.press("Home")
    await card.getByText("early", { exact: true }).waitFor({ state: "detached" })
    await page.keyboard.press("End")
    await page.locator(`[data-call="${id}"][data-state="ok"]`).waitFor()
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
    // The same session at any of its 20,000 entries; an odd one is the beginning of a call.
    await page.goto(new URL("/s/huge/at/9999", page.url()).href)
    await page.locator('[data-call="n-4999"][data-state="running"]').waitFor()
    expect(await page.locator("[data-call]").count()).toBeLessThan(60)
    expect(await page.locator('[data-call="n-5000"]').count()).toBe(0)
    const slider = page.getByRole("slider", { name: "Entry" })
    await slider.fill("17")
    await page.locator('[data-call="n-8"][data-state="running"]').waitFor()
    await slider.fill("19999")
    await page.locator('[data-call="n-9999"][data-state="running"]').waitFor()
    expect(await page.locator("[data-call]").count()).toBeLessThan(60)
    expect(problems).toEqual([])
  })
})
