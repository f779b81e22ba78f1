import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Pages, servePages } from "../../../test/support/tools/pages-fixture.ts"
import { localBench, resultOf, type ToolBench } from "../../../test/support/tools/tool-bench.ts"
import type { Envelope } from "../../contract/index.ts"
import { imageSize } from "../../node/index.ts"

const form = `<title>Form</title><h1>Order</h1>
<form action="/done"><label>Name <input name="name"></label>
<label>Country <select name="country"><option value="de">Germany</option><option value="fr">France</option></select></label>
<button>Send</button></form>
<button onclick="alert('Sure?'); document.title = 'Asked'">Ask</button>
<button onclick="window.open('/value?popup')">Popup</button>
<button onclick="setTimeout(() => { document.body.append('Saved at last') }, 200)">Save</button>
<button onclick="this.remove()">Vanish</button>
<button onclick="console.error('a'); missing()">Break</button>
<a href="/file" download>Report</a>
<div style="height: 3000px"></div><p>Bottom</p>
<iframe srcdoc="<button onclick='parent.document.title = 1 + 1'>Inner</button>"></iframe>
<button ondblclick="document.title = 'twice'">Twice</button>`

let bench: ToolBench
let pages: Pages

beforeAll(async () => {
  pages = await servePages({
    "/form": form,
    "/done": `<title>Done</title><p>Thank you</p><img src="http://10.9.8.7/spy.png">`,
    "/file": (_, response) => {
      response.setHeader("Content-Disposition", 'attachment; filename="../re:port.csv"')
      response.end("a,b\n1,2\n")
    },
    "/value": "<title>Value</title>",
  })
  bench = await localBench.open({
    settings: { network: { reach: "full", private: [`localhost:${pages.port}`] } },
  })
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
  await pages[Symbol.asyncDispose]()
})

async function succeed<Name extends string>(tool: Name, input: unknown = {}) {
  const envelope = await bench.call(`browser.${tool}` as const, input)
  if (!envelope.ok) throw new Error(JSON.stringify(envelope))
  return Object.assign({ warnings: envelope.warnings ?? [] }, envelope.result)
}

const fail = (tool: string, input: unknown): Promise<Envelope> =>
  bench.call(`browser.${tool}`, input)

/** The ref of the element whose line in a new snapshot holds this. */
async function refOf(text: string): Promise<string> {
  const { tree } = await succeed("snapshot")
  const line = (tree ?? "").split("\n").find((one) => one.includes(text)) ?? ""
  return /\[ref=(\w+)\]/.exec(line)?.[1] ?? `no ${text} in ${tree}`
}

const open = (path: string) => succeed("navigate", { url: `${pages.origin}${path}` })

describe("the browser tools", () => {
  it("Y14.navigate: nothing is open at first, and a page answers with its title, status and tree", async () => {
    expect(await succeed("snapshot")).toMatchObject({
      url: "about:blank",
      warnings: ["No page is open: use browser.navigate first."],
    })
    const { tree, ...facts } = await open("/form")
    expect(facts).toEqual({
      ...{ kind: "page", url: `${pages.origin}/form`, title: "Form", tab: 0, status: 200 },
      ...{ console_errors: 0, warnings: [] },
    })
    expect(tree).toContain('heading "Order" [level=1] [ref=')
    expect(await open("/nothing")).toMatchObject({ status: 404, console_errors: 1 })
  })

  it("Y14: a form is filled in, sent, and what the new page was refused is said", async () => {
    await open("/form")
    await succeed("type", { ref: await refOf('textbox "Name"'), text: "Ada", slowly: true })
    await succeed("select", { ref: await refOf('combobox "Country"'), values: ["France"] })
    expect(await succeed("click", { ref: await refOf('button "Send"') })).toEqual({
      ...{ kind: "page", url: `${pages.origin}/done?name=Ada&country=fr`, title: "Done", tab: 0 },
      console_errors: 1,
      warnings: [
        "The network policy refused 10.9.8.7:80: it leads to 10.9.8.7, a private address.",
      ],
    })
    await open("/form")
    const ref = await refOf('textbox "Name"')
    expect(await succeed("type", { ref, text: "Eve", submit: true })).toMatchObject({
      url: `${pages.origin}/done?name=Eve&country=de`,
    })
  })

  it("Y14: dialogs are dismissed and reported, errors counted, new tabs named", async () => {
    await open("/form")
    expect(await succeed("click", { ref: await refOf('button "Ask"') })).toMatchObject({
      title: "Asked",
      warnings: ['The page showed a dialog (alert), which was dismissed: "Sure?".'],
    })
    expect(await succeed("click", { ref: await refOf('button "Break"') })).toMatchObject({
      console_errors: 2,
    })
    const clicked = await succeed("click", { ref: await refOf('button "Popup"') })
    const warnings = [clicked.warnings]
    // On a busy machine a tab may come up later than the answer.
    const listTabs = async () => {
      const listed = await succeed("tabs")
      warnings.push(listed.warnings)
      return listed.tabs
    }
    await expect.poll(listTabs).toHaveLength(2)
    expect(clicked).toMatchObject({ title: "Asked", tab: 0 })
    expect(warnings.flat()).toEqual(["The page opened a new tab (index 1)."])
    expect(await succeed("tabs", { action: "select", index: 1 })).toMatchObject({
      tabs: [
        { index: 0, title: "Asked", current: false },
        { index: 1, title: "Value", current: true, url: `${pages.origin}/value?popup` },
      ],
    })
    expect(await succeed("tabs", { action: "close" })).toMatchObject({
      tabs: [{ index: 0, title: "Asked", current: true }],
    })
    const added = await succeed("tabs", { action: "new", url: `${pages.origin}/value` })
    expect(added).toMatchObject({ tabs: [{}, { title: "Value", current: true }] })
    await succeed("tabs", { action: "close", index: 1 })
    expect(await fail("tabs", { action: "close", index: 7 })).toMatchObject({
      ...{ kind: "invalid_args", field: "index" },
    })
  })

  it("Y14: elements in frames, double clicks, scrolling and waiting", async () => {
    await open("/form")
    expect(await succeed("click", { ref: await refOf('button "Inner"') })).toMatchObject({
      title: "2",
    })
    expect(
      await succeed("click", { ref: await refOf('button "Twice"'), double: true }),
    ).toMatchObject({ title: "twice" })
    const top = async () => (await succeed("evaluate", { expression: "scrollY" })).value
    await succeed("scroll", { direction: "up", amount: 100_000 })
    await succeed("scroll", { amount: 500 })
    expect(await top()).toBe(500)
    await succeed("scroll", { ref: await refOf("Bottom") })
    expect(await top()).toBeGreaterThan(1_000)
    await succeed("click", { ref: await refOf('button "Save"') })
    expect(await succeed("wait", { text: "Saved at last" })).toMatchObject({ kind: "page" })
    expect(await fail("wait", { text_gone: "Saved at last", ms: 200 })).toMatchObject({
      kind: "timeout",
      message:
        'Timed out: "Saved at last" was still visible. Look at the page with browser.snapshot.',
    })
    await succeed("wait", { url: "/form", ms: 2_000 })
    await succeed("wait", { ms: 10 })
  })

  it("Y14: a download is kept as an artifact under a plain name", async () => {
    await open("/form")
    const { downloads } = await succeed("click", { ref: await refOf('link "Report"') })
    const [artifact] = downloads ?? []
    expect(artifact).toMatchObject({ filename: expect.stringMatching(/^[\w.-]*re.port\.csv$/) })
    expect(await readFile(artifact?.path ?? "", "utf8")).toBe("a,b\n1,2\n")
    const direct = await succeed("navigate", { url: `${pages.origin}/file` })
    expect(direct).toMatchObject({ status: null, downloads: [{ size: 8 }] })
  })

  it("Y14.screenshot: screenshots are artifacts with a size: the view, an element, a long page", async () => {
    await open("/form")
    const view = await succeed("screenshot", { format: "jpeg" })
    expect(view).toMatchObject({ kind: "image", width: 1280, height: 800 })
    expect(imageSize(await readFile(view.artifact.path))).toEqual({ width: 1280, height: 800 })
    const whole = await succeed("screenshot", { full_page: true })
    expect(whole.height).toBeGreaterThan(3_000)
    const part = await succeed("screenshot", { ref: await refOf('button "Send"') })
    expect(part.height).toBeLessThan(100)
    await succeed("evaluate", { expression: "document.body.style.height = '40000px'" })
    expect(await succeed("screenshot", { full_page: true, format: "jpeg" })).toMatchObject({
      height: 16_000,
      warnings: [expect.stringContaining("its first 16000 are shown")],
    })
  })

  it("Y14: an expression's value is JSON, cut when it is large, and its error is a sentence", async () => {
    await open("/form")
    const value = async (expression: string, rest = {}) =>
      (await succeed("evaluate", { expression, ...rest })).value
    expect(await value("({ a: [1, null, 'x'], b: 2n })")).toEqual({ a: [1, null, "x"], b: "2" })
    expect(await value("async () => (await fetch('/value')).status")).toBe(200)
    expect(await value("undefined")).toBe(null)
    expect(await value("document.querySelector('h1')")).toBe("<h1>Order</h1>")
    const ref = await refOf('heading "Order"')
    expect(await value("(element) => element.textContent", { ref })).toBe("Order")
    expect(await succeed("evaluate", { expression: "'x'.repeat(5e7)" })).toMatchObject({
      ...{ cut: true, warnings: [expect.stringContaining("too large")] },
    })
    expect(await fail("evaluate", { expression: "missing.thing" })).toMatchObject({
      kind: "execution_error",
      message: "The expression failed: ReferenceError: missing is not defined",
    })
    expect(await fail("evaluate", { expression: "{ const a = {}; a.a = a; a }" })).toMatchObject({
      kind: "execution_error",
    })
  })

  it("O8: a ref that is gone, a wrong selector, option or element each say what to do", async () => {
    await open("/form")
    const gone = await refOf('button "Vanish"')
    await succeed("click", { ref: gone })
    const stale = {
      ...{ ok: false, kind: "invalid_args", field: "ref" },
      message: `${gone} is not an element of this page now: take a new snapshot with browser.snapshot.`,
    }
    expect(await fail("click", { ref: gone })).toMatchObject(stale)
    expect(await fail("click", { ref: "e99999" })).toMatchObject({ field: "ref" })
    expect(await fail("click", { ref: "f9e1" })).toMatchObject({ field: "ref" })
    expect(await fail("click", { ref: "body" })).toMatchObject({ field: "ref" })
    const ref = await refOf('combobox "Country"')
    expect(await fail("select", { ref, values: ["Spain"] })).toMatchObject({
      ...{ kind: "invalid_args", field: "values", expected: 'some of "Germany", "France"' },
    })
    const heading = await refOf('heading "Order"')
    expect(await fail("select", { ref: heading, values: ["x"] })).toMatchObject({ field: "ref" })
    expect(await fail("type", { ref: heading, text: "x" })).toMatchObject({
      kind: "execution_error",
      message: expect.stringContaining("Element is not an <input>"),
    })
    expect(await fail("snapshot", { selector: "[" })).toMatchObject({ field: "selector" })
    expect(await fail("snapshot", { selector: "#no" })).toMatchObject({ field: "selector" })
    expect(await succeed("snapshot", { selector: "form" })).toMatchObject({ plain: false })
    expect(await fail("wait", {})).toMatchObject({ kind: "invalid_args" })
  })

  it("Y14: calls made at once do not mix, and close forgets everything", async () => {
    const titles = ["/form", "/value", "/form", "/value"].map(
      async (path) => (await open(path)).title,
    )
    expect(await Promise.all(titles)).toEqual(["Form", "Value", "Form", "Value"])
    await succeed("evaluate", { expression: "document.cookie = 'login=1'" })
    expect(await succeed("close")).toEqual({ kind: "closed", was_open: true, warnings: [] })
    expect(await succeed("close")).toMatchObject({ was_open: false })
    await open("/form")
    expect(await succeed("evaluate", { expression: "document.cookie" })).toMatchObject({
      value: "",
    })
  })

  it("C6: what sandbox.browse gives opens in the browser, and its name at another port does not", async () => {
    await bench.call("file.write", {
      path: "server.cjs",
      content: `const page = "<title>Inside</title>"
        require("node:http").createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end(page))
          .listen(0, "127.0.0.1", function () { require("node:fs").writeFileSync("port", String(this.address().port)) })`,
    })
    const command = `"${process.execPath}" server.cjs & while [ ! -s port ]; do sleep 0.05; done; cat port`
    const started = await bench.call("shell.exec", { command })
    const { stdout } = resultOf(started, "command")
    const preview = await bench.call("sandbox.browse", { port: Number(stdout), wait_ms: 20_000 })
    const { url } = resultOf(preview)
    expect(await succeed("navigate", { url })).toMatchObject({ title: "Inside", warnings: [] })
    const other = new URL(url)
    other.port = String(pages.port)
    expect(await fail("navigate", { url: other.href })).toMatchObject({ kind: "rejected" })
  })
})
