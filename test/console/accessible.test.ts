import { existsSync } from "node:fs"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addAxe, violations } from "./axe.ts"
import { type ConsoleFixture, openConsole } from "./console-fixture.ts"

/** Every view, with what is there when it is drawn. */
const views = [
  { path: "/", ready: "heading:Now", picture: "now" },
  { path: "/waiting", ready: "button:Approve", picture: null },
  { path: "/s/demo", ready: "heading:demo", picture: "session" },
  { path: "/s/demo/at/3", ready: "slider:Entry", picture: "replay" },
  { path: "/s/demo/changes", ready: "heading:default", picture: null },
  { path: "/b", ready: "link:default", picture: null },
  { path: "/b/demo/default", ready: "link:note.md", picture: "sandbox" },
  {
    path: "/b/demo/default?tab=files&path=note.md&file=1",
    ready: "textbox:Content of note.md",
    picture: null,
  },
  { path: "/b/demo/default?tab=processes", ready: "button:Look again", picture: null },
  { path: "/b/demo/default?tab=terminal", ready: "textbox:Terminal input", picture: null },
  { path: "/b/demo/default?tab=preview", ready: "button:Show", picture: null },
  { path: "/b/demo/default?tab=usage", ready: "region:Usage", picture: null },
  { path: "/b/demo/default?tab=network", ready: "region:Network", picture: null },
  { path: "/b/demo/default?tab=history", ready: "table:", picture: null },
  { path: "/try?session=demo&tool=shell.exec", ready: "button:Run", picture: "try" },
  { path: "/policy", ready: "button:shell.exec for any agent: allow", picture: null },
  { path: "/hosts", ready: "table:", picture: null },
  { path: "/settings", ready: "cell:Everything", picture: null },
  { path: "/nowhere", ready: "heading:There is no such page", picture: null },
] as const

const looks = [
  { scheme: "light", width: 1280 },
  { scheme: "dark", width: 1280 },
  { scheme: "light", width: 390 },
  { scheme: "dark", width: 390 },
] as const

const beside =
  "document.documentElement.scrollWidth - document.documentElement.clientWidth + document.documentElement.scrollLeft"

let fixture: ConsoleFixture
let asked: Promise<unknown>
beforeAll(async () => {
  fixture = await openConsole("tools:\n  hooks:\n    confirm: [file.remove]\n")
  const call = (tool: string, input: Record<string, unknown>) =>
    fixture.client.request("calls.start", { session: "demo", tool, input })
  await call("file.write", { path: "note.md", content: "# Note\n\nSome **text**.\n" })
  await call("shell.exec", { command: "uname -s; ls -la /" })
})
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]()
  await asked
})

describe("the console is accessible", () => {
  for (const { scheme, width } of looks) {
    it(`X7: axe finds no violation on any view, ${scheme} at ${width} pixels`, async () => {
      const { page } = await fixture.open("/", {
        ...{ colorScheme: scheme, viewport: { width, height: 800 } },
        // Only here, since axe has to be put into the page.
        bypassCSP: true,
      })
      asked ??= ask()
      await addAxe(page)
      const found: string[] = []
      for (const { path, ready, picture } of views) {
        if (path !== "/") await visit(page, path)
        await until(page, ready)
        found.push(...(await violations(page)).map((one) => `${path}: ${one}`))
        // Nothing is beside the screen; what may be wider scrolls in its own frame.
        if (Number(await page.evaluate(beside)) > 0) found.push(`${path}: wider than the screen`)
        if (picture && width === 1280) await takePicture(page, `${picture}-${scheme}`)
      }
      expect(found).toEqual([])
    })
  }
})

/** For the documents. One that is there stays, so that a test run changes no file; remove it to have it taken again. */
async function takePicture(page: Page, name: string): Promise<void> {
  const file = new URL(`../../docs/console-${name}.png`, import.meta.url).pathname
  if (!existsSync(file)) await page.screenshot({ path: file })
}

/** Waits while the page is open, so that there is a question to look at. */
function ask(): Promise<unknown> {
  return fixture.client
    .request("calls.start", { session: "demo", tool: "file.remove", input: { path: "note.md" } })
    .catch(() => {})
}

/** As a link does, so that axe stays in the page. */
async function visit(page: Page, path: string): Promise<void> {
  await page.getByRole("main").evaluate((main, to) => {
    const link = main.ownerDocument.createElement("a")
    link.href = to
    main.append(link)
    link.click()
    link.remove()
  }, path)
}

async function until(page: Page, ready: string): Promise<void> {
  const [role = "", ...name] = ready.split(":")
  const wanted = page.getByRole("main").getByRole(role as "link", { name: name.join(":") })
  await wanted.first().waitFor({ state: "attached" })
}
