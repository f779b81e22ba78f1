import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { scriptedModel } from "../support/agent/scripted-model.ts"
import { startModelWire } from "../support/model-wire/start-model-wire.ts"
import { processesWith } from "../support/processes-with.ts"
import { startDev } from "./dev-process.ts"
import { openLine } from "./network-line.ts"
import { openPatterns, type PatternFixture } from "./pattern-fixture.ts"
import { clientOf, handlerOf, messagesAfter, statusFor, wholePage } from "./pattern-messages.ts"
import {
  answeredText,
  coversText,
  editedText,
  form,
  longText,
  loopingText,
  modelText,
  noPageText,
  printsText,
  slowText,
} from "./pattern-texts.ts"

let patterns: PatternFixture

beforeAll(async () => {
  patterns = await openPatterns()
})
afterAll(() => patterns[Symbol.asyncDispose]())

describe("the document's patterns, as printed, in a browser", () => {
  it("C20.examples, C20.browser: Python Runner", async () => {
    const code = "print(6 * 7)"
    await using runner = await patterns.start("examples/patterns/python-runner.tsx", { code })
    const { page, problems } = await patterns.open(runner.address)
    await page.locator("main pre").filter({ hasText: "42" }).waitFor()
    expect(await page.title()).toBe("Python Runner")
    expect(problems).toEqual([])
  })

  it("C20.examples: TypeScript Compiler", async () => {
    const sourceCode = "const answer: number = 42"
    const file = "examples/patterns/typescript-compiler.tsx"
    await using compiler = await patterns.start(file, { sourceCode })
    const { page, problems } = await patterns.open(compiler.address)
    await page.getByRole("heading", { name: "Compiled JS" }).waitFor()
    expect(await page.locator("main pre").textContent()).toBe("const answer = 42\n")
    expect(problems).toEqual([])
  })

  it("C20.examples: Repo", async () => {
    const repoUrl = "toolkeep/toolkeep"
    await using repo = await patterns.start("examples/patterns/repo.tsx", { repoUrl })
    const { page, problems } = await patterns.open(repo.address)
    await page.getByText("Stars: 4321").waitFor()
    await page.getByText("TypeScript lines: 123").waitFor()
    await expect.poll(() => page.title()).toBe("Repo: toolkeep")
    expect(problems).toEqual([])
  })

  it("C20.examples: Shell", async () => {
    await using shell = await patterns.start("examples/patterns/shell.tsx", { language: "node" })
    const { page, problems } = await patterns.open(shell.address)
    const field = page.getByPlaceholder("$ ")
    await field.fill("echo one > note; cat note")
    await field.press("Enter")
    await page.locator("main pre").filter({ hasText: "one" }).waitFor()
    await expect.poll(() => field.inputValue()).toBe("")
    await field.fill("cat note nothing")
    await field.press("Enter")
    await page.locator("main pre.stderr").filter({ hasText: "nothing" }).waitFor()
    const printed = () => page.locator("main pre:not(.stderr)").allTextContents()
    await expect.poll(printed).toEqual(["one\n", "one\n"])
    expect(problems).toEqual([])
  })

  it("C20.examples: CSV Analyzer: a drawing that its steps made is shown without what could act", async () => {
    const csvUrl = "http://example.com/data.csv"
    await using analyzer = await patterns.start("examples/patterns/csv-analyzer.tsx", { csvUrl })
    const { page, problems } = await patterns.open(analyzer.address)
    await page.locator("main svg").waitFor()
    const svg = page.locator("main svg")
    expect(await svg.locator("script, style, image[href]").count()).toBe(0)
    expect(await svg.getAttribute("onload")).toBe(null)
    await expect.poll(() => svg.locator("rect").getAttribute("style")).toBe("fill: rgb(0, 128, 0);")
    expect(await svg.textContent()).toContain("2 rows")
    // Its style sheet is for the drawing alone.
    const styleOf = (selector: string, name: string) =>
      page.evaluate(
        `getComputedStyle(document.querySelector("${selector}")).getPropertyValue("${name}")`,
      )
    await expect.poll(() => styleOf("main svg text", "fill")).toBe("rgb(0, 0, 255)")
    expect(await styleOf("main svg text", "stroke")).toBe("rgb(255, 0, 0)")
    expect(await styleOf("main svg text", "cursor")).toBe("auto")
    expect(await styleOf("main svg text", "--x")).toBe("")
    expect(await styleOf("main .inner-html", "stroke")).toBe("none")
    // Nothing of it is in front of the page.
    await page.getByRole("heading", { name: "CSV Analyzer" }).click()
    expect(await page.title()).toBe("CSV Analyzer")
    expect(problems).toEqual([])
  })
})

it("C20.browser, X2: markup that steps made covers nothing beside it", async () => {
  const file = await patterns.write("covers.tsx", coversText)
  await using covers = await patterns.start(file)
  const { page, problems } = await patterns.open(covers.address)
  for (const id of ["block", "line"]) await page.locator(`#${id} b`).waitFor({ state: "attached" })
  const found = await page.getByRole("button", { name: "Pay" }).evaluate((button: Shown) => {
    const { left, top, width, height } = button.getBoundingClientRect()
    return button.ownerDocument.elementsFromPoint(left + width / 2, top + height / 2)[0] === button
  })
  expect(found).toBe(true)
  expect(problems).toEqual([])
})

interface Shown {
  readonly ownerDocument: { elementsFromPoint(x: number, y: number): readonly unknown[] }
  getBoundingClientRect(): Readonly<Record<"left" | "top" | "width" | "height", number>>
}

interface Selected {
  readonly selectionStart: number
  readonly selectionEnd: number
  setSelectionRange(from: number, to: number): void
}

describe("a page", () => {
  it("C20.browser: focus, caret, selection and typed text stay while it changes, and lists keep their rows", async () => {
    const file = await patterns.write("stays.tsx", form("First"))
    await using stays = await patterns.start(file, { start: 0 })
    const { page, problems } = await patterns.open(stays.address)
    const free = page.getByLabel("Free")
    await page.getByLabel("b", { exact: true }).fill("of b")
    await free.fill("typed text")
    await free.evaluate((field: Selected) => field.setSelectionRange(2, 5))
    const { tree } = await wholePage(patterns, stays.address)
    const add = handlerOf(tree, "common-input", "onsubmit")
    const send = (item: string) =>
      clientOf(patterns).request("patterns.send", {
        ...{ pattern: stays.address, handler: add, event: { "": item } },
      })
    for (const item of ["c", "d"]) expect(await send(item)).toMatchObject({ problem: null })
    await page.getByText("4 items").waitFor()
    await page.getByText("many", { exact: true }).waitFor()
    const focused = page.locator("textarea:focus")
    expect(await focused.inputValue()).toBe("typed text")
    expect(
      await focused.evaluate(({ selectionStart, selectionEnd }: Selected) => [
        ...[selectionStart, selectionEnd],
      ]),
    ).toEqual([2, 5])
    expect(await page.getByLabel("b", { exact: true }).inputValue()).toBe("of b")
    await page.getByLabel("Echo").pressSequentially("abc")
    await expect.poll(() => page.getByLabel("Echo").inputValue()).toBe("ABC")
    expect(problems).toEqual([])
  })

  it("C20.browser: what comes back of a part of what was typed does not undo the rest", async () => {
    const file = await patterns.write("late.tsx", form("Late"))
    await using late = await patterns.start(file, { start: 0 })
    const { page, problems } = await patterns.open(late.address)
    const held: (() => Promise<void>)[] = []
    await page.route("**/api/patterns/late/events", (route) => {
      if (route.request().method() !== "POST") return route.continue()
      held.push(() => route.continue())
    })
    const echo = page.getByLabel("Echo")
    await echo.pressSequentially("abc")
    await expect.poll(() => held.length).toBe(3)
    for (const [index, text] of ["A", "AB", "ABC"].entries()) {
      expect(await echo.inputValue()).toBe("abc")
      await held[index]?.()
      await page.locator("#echoed").getByText(text, { exact: true }).waitFor()
    }
    await expect.poll(() => echo.inputValue()).toBe("ABC")
    await page.unroute("**/api/patterns/late/events")
    await echo.press("d")
    await expect.poll(() => echo.inputValue()).toBe("ABCD")
    expect(problems).toEqual([])
  })

  it("C20.browser: events begin in the order in which they were made, whichever of their requests comes first", async () => {
    const file = await patterns.write("order.tsx", form("Order"))
    await using ordered = await patterns.start(file, { start: 0 })
    const { page, problems } = await patterns.open(ordered.address)
    const held: (() => Promise<void>)[] = []
    await page.route("**/api/patterns/order/events", (route) => {
      if (route.request().method() !== "POST") return route.continue()
      held.push(() => route.continue())
    })
    const echo = page.getByLabel("Echo")
    await echo.pressSequentially("abc")
    await expect.poll(() => held.length).toBe(3)
    for (const release of held.toReversed()) await release()
    await expect.poll(() => echo.inputValue()).toBe("ABC")
    await expect.poll(() => page.locator("#echoed").textContent()).toBe("ABC")
    expect(problems).toEqual([])
  })

  it("C20.browser: scroll positions and selected text stay while it changes", async () => {
    const file = await patterns.write("long.tsx", longText)
    await using long = await patterns.start(file)
    const { page, problems } = await patterns.open(long.address)
    await page.locator("#list li").nth(199).waitFor()
    const places = `[scrollY, document.querySelector("#list").scrollTop, String(getSelection())]`
    await page.evaluate(`
      document.querySelector("#list").scrollTop = 700
      scrollTo(0, 500)
      getSelection().setBaseAndExtent(
        ...[document.querySelector("#fixed").firstChild, 4],
        ...[document.querySelector("#shown").firstChild, 5],
      )
    `)
    const selected = "that stays\n\nvalue"
    expect(await page.evaluate(places)).toEqual([500, 700, selected])
    const { tree } = await wholePage(patterns, long.address)
    const handler = handlerOf(tree, "button", "onclick")
    for (let count = 1; count <= 3; count += 1) {
      await clientOf(patterns).request("patterns.send", { pattern: long.address, handler })
      await page.locator("#shown", { hasText: `value ${count}` }).waitFor()
      await page.locator("#list li", { hasText: `row 199 of ${count}` }).waitFor()
      expect(await page.evaluate(places)).toEqual([500, 700, selected])
    }
    expect(problems).toEqual([])
  })

  it("C13.command: shows what a command prints while it runs", async () => {
    const file = await patterns.write("prints.tsx", printsText)
    await using prints = await patterns.start(file)
    const { page, problems } = await patterns.open(prints.address)
    const output = page.locator("#output")
    await output.filter({ hasText: "first" }).waitFor()
    expect(await page.locator("#state").textContent()).toBe("running")
    await page.getByRole("button", { name: "Go on" }).click()
    await page.locator("#state", { hasText: "ended with 3" }).waitFor()
    await expect.poll(() => output.textContent()).toBe("first\nsecond\n")
    expect(problems).toEqual([])
  })

  it("C20.browser: two pages show the same, and one that was offline misses and repeats nothing", async () => {
    const file = await patterns.write("away.tsx", form("Away"))
    await using away = await patterns.start(file, { start: 0 })
    await using line = await openLine(Number(new URL(patterns.url).port))
    const { page } = await patterns.open(away.address, String(line.port))
    const other = await patterns.open(away.address)
    const add = async (item: string) => {
      await other.page.getByPlaceholder("New").fill(item)
      await other.page.getByPlaceholder("New").press("Enter")
      await other.page.getByLabel(item, { exact: true }).waitFor()
    }
    await add("c")
    await page.getByLabel("c", { exact: true }).waitFor()
    line.cut()
    for (const item of ["d", "e"]) await add(item)
    expect(await page.getByLabel("e", { exact: true }).count()).toBe(0)
    line.mend()
    await page.getByLabel("e", { exact: true }).waitFor()
    const labels = (shown: typeof page) =>
      shown
        .locator("li input")
        .evaluateAll((rows: { readonly ariaLabel: string }[]) => rows.map((row) => row.ariaLabel))
    expect(await labels(page)).toEqual(["e", "d", "c", "a", "b"])
    expect(await labels(other.page)).toEqual(["e", "d", "c", "a", "b"])
    expect(other.problems).toEqual([])
    // The page itself, the first item and the two that were missed are one message each.
    const last = (await wholePage(patterns, away.address)).id
    const missed = await messagesAfter(patterns, away.address, last - 2)
    expect(missed.map(({ id, event }) => [id, event])).toEqual([
      [last - 1, "change"],
      [last, "change"],
    ])
  })

  it("X11.elements: ct-loader counts the time and its button ends the step", async () => {
    const file = await patterns.write("slow.tsx", slowText)
    await using slow = await patterns.start(file)
    const { page, problems } = await patterns.open(slow.address)
    await page
      .locator(".ct-loader .elapsed")
      .filter({ hasText: /^[1-9]\d* s$/ })
      .waitFor()
    const motion = () =>
      page.evaluate("getComputedStyle(document.querySelector('.spinner')).animationName")
    expect(await motion()).toBe("spin")
    await page.emulateMedia({ reducedMotion: "reduce" })
    expect(await motion()).toBe("none")
    await page.getByRole("button", { name: "Stop" }).click()
    await page.locator("main").getByText("user_denied").waitFor()
    await expect.poll(() => page.locator(".ct-loader").count()).toBe(0)
    expect(problems).toEqual([])
  })

  it("C16.model: shows what a model wrote that works in the pattern's sandbox", async () => {
    const file = await patterns.write("model.tsx", modelText)
    const model = scriptedModel([
      { calls: [{ tool: "shell", input: { command: "echo from the sandbox" } }] },
      { text: "All done." },
    ])
    await using asked = await patterns.start(file, { task: "Say it." }, { model })
    const { page, problems } = await patterns.open(asked.address)
    await page.getByText("All done.").waitFor()
    expect(JSON.stringify(model.requests[1]?.prompt)).toContain("from the sandbox")
    expect(problems).toEqual([])
  })
})

describe("an edited pattern", () => {
  it("C20.browser: goes on with its inputs, writables, sandboxes and results, and with typed text", async () => {
    const file = await patterns.write("edited.tsx", editedText("Before"))
    await using edited = await patterns.start(file, { name: "one" })
    const { page, problems } = await patterns.open(edited.address)
    const look = async (word: string, seen: string) => {
      await page.getByPlaceholder("Look").fill(word)
      await page.getByPlaceholder("Look").press("Enter")
      await page.locator("#seen").filter({ hasText: seen }).waitFor()
    }
    await look("two", "kept")
    await page.locator("#once").filter({ hasText: /\d/ }).waitFor()
    const once = await page.locator("#once").textContent()
    await page.getByLabel("Mine").fill("my text")
    await patterns.write("edited.tsx", editedText("After"))
    await page.getByRole("heading", { name: "After" }).waitFor()
    expect(await page.locator("#once").textContent()).toBe(once)
    expect(await page.getByLabel("Mine").inputValue()).toBe("my text")
    expect(await page.title()).toBe("two")
    await look("three", "kept+kept")
    expect(problems).toEqual([])
    await edited[Symbol.asyncDispose]()
    expect(patterns.session.sandboxes.list()).toEqual([])
  })

  it("C20.browser: of a file, a part of the page and a handler are shown with place and code, and the rest goes on", async () => {
    const file = await patterns.write("wrong.tsx", form("Right"))
    await using wrong = await patterns.start(file, { start: 0 })
    const { page, problems } = await patterns.open(wrong.address)
    const alert = page.getByRole("alert")
    await page.getByRole("button", { name: "Fail" }).click()
    await alert.filter({ hasText: "no such luck" }).filter({ hasText: "wrong.tsx:9:" }).waitFor()
    expect(await alert.locator("pre").textContent()).toContain(">  9 |   const fail = handler(")
    await alert.getByRole("button", { name: "Close" }).click()
    await patterns.write("wrong.tsx", form("Right").replace("<ul>", "<ul"))
    await alert
      .filter({ hasText: /wrong\.tsx:\d+/ })
      .locator("pre")
      .waitFor()
    await page.getByText("2 items").waitFor()
    await patterns.write("wrong.tsx", form("Right").replace("items.get().length", "null.x"))
    await alert.filter({ hasText: "wrong.tsx:6:" }).first().waitFor()
    await page.getByRole("heading", { name: "Right" }).waitFor()
    await patterns.write("wrong.tsx", form("Right").replace("const fail", "null.y; const fail"))
    await alert.filter({ hasText: "wrong.tsx:9:" }).waitFor()
    await patterns.write("wrong.tsx", form("Mended"))
    await page.getByRole("heading", { name: "Mended" }).waitFor()
    await expect.poll(() => alert.count()).toBe(0)
    await patterns.write("wrong.tsx", noPageText)
    await page.getByText("This pattern has no page: its body returns no [UI].").waitFor()
    expect(problems).toEqual([])
    const reported = patterns.problems.filter((one) => one.file === file)
    expect(reported.every(({ line = 0, frame = "" }) => line > 0 && frame.includes("|"))).toBe(true)
    expect(reported.length).toBeGreaterThanOrEqual(4)
  })
})

describe("what others send", () => {
  it("C20.browser: an event for nobody, of another type, or of 10 MB is answered with a sentence", async () => {
    const file = await patterns.write("hostile.tsx", form("Hostile"))
    await using hostile = await patterns.start(file, { start: 0 })
    const { tree } = await wholePage(patterns, hostile.address)
    const handler = handlerOf(tree, "common-input", "onsubmit")
    const send = (event: unknown, to = handler, pattern = hostile.address) =>
      clientOf(patterns).request("patterns.send", { pattern, handler: to, event })
    const gone = "What this event was for is no longer on the page."
    expect(await send({}, "h99")).toMatchObject({ problem: { message: gone } })
    const { problem } = await send(null)
    expect(problem?.message).toMatch(/^Cannot destructure/)
    expect(problem?.line).toBe(8)
    await expect(send("x".repeat(10_000_000))).rejects.toThrow("The body is larger than 8 MiB.")
    await expect(send({}, "h1", "nobody")).rejects.toThrow('No pattern "nobody" runs here.')
  })

  it("C20.browser: strangers, other names of the host and other pages are refused", async () => {
    const file = await patterns.write("closed.tsx", form("Closed"))
    await using closed = await patterns.start(file, { start: 0 })
    const events = `/api/patterns/${closed.address}/events`
    const authorization = `Bearer ${patterns.token}`
    const ask = (headers: Record<string, string>, path = events) =>
      statusFor(patterns, path, headers)
    expect(await ask({})).toBe(401)
    expect(await ask({ authorization, origin: "http://evil.example" })).toBe(403)
    expect(await ask({ authorization, "sec-fetch-site": "cross-site" })).toBe(403)
    expect(await ask({ authorization, host: "evil.example" })).toBe(403)
    expect(await ask({ host: "evil.example" }, `/p/${closed.address}`)).toBe(403)
    const reader = await clientOf(patterns).request("tokens.create", { name: "r", kind: "read" })
    expect(await ask({ authorization: `Bearer ${reader.secret}` })).toBe(403)
  })
})

describe("toolkeep dev", () => {
  it("C20.browser: prints where the page is, reports reloads and errors, and leaves with its pattern", async () => {
    const file = await patterns.write("command.tsx", form("Command"))
    const flags = ["--host", "memory", "--port", "0"]
    const dev = startDev(patterns.directory, file, ...flags, "--input", "start=40")
    const [link = ""] = (await dev.until("Ctrl-C stops")).match(/http:\S+/) ?? []
    expect(link).toMatch(/^http:\/\/toolkeep\.localhost:\d+\/p\/command#in-/)
    const { page, problems } = await patterns.browse(link)
    await page.getByText("42 items").waitFor()
    await page.getByRole("link", { name: "Console" }).click()
    const listed = page.getByRole("region", { name: "Patterns" })
    await listed.getByRole("link", { name: "Form" }).waitFor()
    await page.goBack()
    await patterns.write("command.tsx", form("Edited"))
    await page.getByRole("heading", { name: "Edited" }).waitFor()
    await dev.until("command.tsx was reloaded")
    await patterns.write("command.tsx", form("Edited").replace("<ul>", "<ul"))
    await dev.until(/command\.tsx:\d+:\d+\)\n[\s\S]*\n> \d+ \|/)
    // What the page says when its server is gone is not of interest.
    expect(problems).toEqual([])
    expect(await dev.stop()).toBe(0)
  })

  it("C20.browser, C16.model: --image and --model are those of its steps, and with --store a restart runs nothing", async () => {
    const file = await patterns.write("answered.tsx", answeredText)
    await using model = await startModelWire({ parts: [{ text: "A model wrote this." }] })
    const flags = [
      ...["--host", "memory", "--port", "0", "--store", join(patterns.directory, "answered.json")],
      ...["--image", "virtual", "--model", `${model.url}/compatible/v1#test`],
    ]
    const open = async (dev: ReturnType<typeof startDev>) => {
      const [link = ""] = (await dev.until("Ctrl-C stops")).match(/http:\S+/) ?? []
      const { page } = await patterns.browse(link)
      await page.getByText("A model wrote this.").waitFor()
      await page.locator("#once").filter({ hasText: /\d/ }).waitFor()
      return page
    }
    const first = startDev(patterns.directory, file, ...flags)
    const page = await open(first)
    const once = await page.locator("#once").textContent()
    await page.getByRole("button", { name: "Count" }).click()
    await page.getByText("1 clicks").waitFor()
    expect(await first.stop()).toBe(0)
    const second = startDev(patterns.directory, file, ...flags)
    const again = await open(second)
    await again.getByText("1 clicks").waitFor()
    expect(await again.locator("#once").textContent()).toBe(once)
    expect(model.requests).toHaveLength(1)
    expect(await second.stop()).toBe(0)
  })

  it("a loop without an end is reported in a sentence, ends what runs in sandboxes, and the store has what was there", async () => {
    const seconds = String(100_000 + process.pid)
    const file = await patterns.write("loops.tsx", loopingText(seconds))
    const store = join(patterns.directory, "loops.json")
    const flags = ["--host", "bubblewrap", "--port", "0", "--image", "host", "--store", store]
    const dev = startDev(patterns.directory, file, ...flags)
    const [link = ""] = (await dev.until("Ctrl-C stops")).match(/http:\S+/) ?? []
    const { page } = await patterns.browse(link)
    await expect.poll(() => processesWith(seconds)).not.toEqual([])
    await page.getByRole("button", { name: "Count" }).click()
    await page.getByText("1 clicks").waitFor()
    // A body that loops is an error like others, and the one before goes on.
    await patterns.write(
      "loops.tsx",
      loopingText(seconds).replace("const clicks", "for (;;); const clicks"),
    )
    await page.getByRole("alert").filter({ hasText: "has not returned within 15 s" }).waitFor()
    await patterns.write("loops.tsx", loopingText(seconds))
    await expect.poll(() => page.getByRole("alert").count()).toBe(0)
    await page.getByRole("button", { name: "Count" }).click()
    await page.getByText("2 clicks").waitFor()
    await page.getByRole("button", { name: "Loop" }).click()
    expect(await dev.ended).toBe(null)
    expect(dev.printed()).toMatch(
      /\ntoolkeep: something in loops\.tsx loops for ever, so this process was ended, with everything that it ran in sandboxes\.\n$/,
    )
    await expect.poll(() => processesWith(seconds)).toEqual([])
    const again = startDev(patterns.directory, file, ...flags)
    const [next = ""] = (await again.until("Ctrl-C stops")).match(/http:\S+/) ?? []
    await (await patterns.browse(next)).page.getByText("2 clicks").waitFor()
    expect(await again.stop()).toBe(0)
  }, 600_000)

  it.each([
    [["nothing.tsx"], 'there is no file "nothing.tsx".'],
    [["command.tsx", "--input", "start"], "--input must be a name and a value"],
  ])("refuses %j in a sentence", async (args, sentence) => {
    const dev = startDev(patterns.directory, ...args)
    expect(await dev.ended).toBe(2)
    expect(dev.printed()).toContain(sentence)
  })
})
