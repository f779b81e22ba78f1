import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type ModelWire, startModelWire } from "../support/model-wire/start-model-wire.ts"
import { type ConsoleFixture, openConsole } from "./console-fixture.ts"

const written = Promise.withResolvers<void>()
const write = { path: "note.txt", content: "by the model" }
const plan = "## Plan\n\nI write **note.txt"

const configOf = (model: string) => `agent:
  model: ${model}
tools:
  hooks:
    confirm: [file.write]
  rules:
    - deny: file.remove
      when: { path: "^/home/" }
      because: Homes stay.
agents:
  reviewer:
    deny: [shell.exec]
`

let wire: ModelWire
let fixture: ConsoleFixture
beforeAll(async () => {
  wire = await startModelWire(
    {
      parts: [{ text: plan }, { call: "file_write", arguments: JSON.stringify(write) }],
      until: written.promise,
    },
    { parts: [{ text: "It is **done**." }] },
    { parts: [{ text: "This takes" }], ending: "hang" },
    { parts: [{ text: "This is lost" }], ending: "hang" },
    { parts: [{ text: "Back again." }] },
    { parts: [{ call: "file_write", arguments: JSON.stringify(write) }] },
    { parts: [{ text: "Written after all." }] },
  )
  vi.stubEnv("OPENAI_API_KEY", "sk-of-a-test")
  fixture = await openConsole(configOf(`${wire.url}/v1#scripted`))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  written.resolve()
  await fixture?.[Symbol.asyncDispose]()
  await wire?.[Symbol.asyncDispose]()
})

describe("a model in the console", () => {
  it("X4, O24, Y11: is asked from Now, writes live, asks a person, hears what is said meanwhile, and is replayed", async () => {
    const { page, problems } = await fixture.open("/")
    const box = page.getByRole("textbox", { name: "Ask", exact: true })
    await box.fill("Write a note.")
    await page.getByRole("button", { name: "Ask", exact: true }).click()
    await page.waitForURL("**/s/welcome")
    // As markdown while it is written, also where it ends in the middle of something.
    const draft = page.locator(".message.draft")
    await draft.getByRole("heading", { name: "Plan" }).waitFor()
    await expect.poll(() => draft.locator("strong").last().textContent()).toBe("note.txt")
    // A page that comes later has what was written before.
    const late = await fixture.open("/s/welcome")
    await late.page.locator(".message.draft").getByRole("heading", { name: "Plan" }).waitFor()
    await box.fill("Then say done.")
    await box.press("Enter")
    await page.getByText("The model reads this before its next request.").waitFor()
    written.resolve()
    await page.locator(".message.assistant:not(.draft)").getByText("I write").waitFor()
    await expect.poll(() => draft.count()).toBe(0)

    // A page that is open already counts the question, which waits in the record.
    await page.getByRole("link", { name: "Waiting 1" }).waitFor()
    await expect.poll(() => page.title()).toBe("(1) Toolkeep")
    // It asks with its rule, and goes on by itself when the question is answered.
    await late.page.goto(new URL("/waiting", late.page.url()).href)
    await late.page.getByText("confirm", { exact: false }).first().waitFor()
    await late.page.getByRole("button", { name: "Approve" }).click()
    const answer = page.locator(".message.assistant:not(.draft)").getByText("It is done.")
    await answer.waitFor()
    await page.getByText("The run ended: finished.").waitFor()
    await expect.poll(() => page.locator(".message.assistant").count()).toBe(2)
    expect(JSON.stringify(wire.requests[1]?.body)).toContain("Then say done.")
    await page.getByRole("button", { name: "Ask", exact: true }).waitFor()

    await page.getByRole("link", { name: "Replay" }).click()
    await page.getByText("Files at this entry").click()
    await page.getByRole("button", { name: "note.txt" }).click()
    await page.locator(".past-browser .code").getByText("by the model").waitFor()
    expect([...problems, ...late.problems]).toEqual([])
  })

  it("X4, O25: a run is stopped by a button, and one that lost its server is continued", async () => {
    const { page, problems } = await fixture.open("/s/welcome")
    const box = page.getByRole("textbox", { name: "Ask", exact: true })
    await box.fill("Think long.")
    await box.press("Enter")
    await page.locator(".message.draft").getByText("This takes").waitFor()
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByText("The run ended: aborted.").waitFor()
    await page.locator(".message.draft").waitFor({ state: "detached" })
    await expect.poll(() => wire.hangUps).toBe(1)

    await box.fill("Once more.")
    await box.press("Enter")
    await page.locator(".message.draft").getByText("This is lost").waitFor()
    expect(problems).toEqual([])
    process.kill(fixture.pid, "SIGKILL")
    await page.getByText("Offline since").waitFor()
    await page.locator(".message.draft").waitFor({ state: "detached" })
    await fixture.start()
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByText("Back again.").waitFor()
  })
})

describe("a question that outlives its server", () => {
  it("X4, O24, O25: a run that waited when its server was killed goes on by itself when the question is answered", async () => {
    const { page } = await fixture.open("/s/welcome")
    const box = page.getByRole("textbox", { name: "Ask", exact: true })
    await box.fill("Write it again.")
    await box.press("Enter")
    await page.getByText("The model waits for an answer to its question.").waitFor()
    process.kill(fixture.pid, "SIGKILL")
    await page.getByText("Offline since").waitFor()
    await fixture.start()
    // The next server can be stopped as usual, and has not ended the run.
    await fixture.restart()
    await page.getByText("The model waits for an answer to its question.").waitFor()
    const late = await fixture.open("/waiting")
    await late.page.getByRole("button", { name: "Approve" }).click()
    await page.locator(".message.assistant").getByText("Written after all.").waitFor()
    await page.getByText("The run ended: finished.").last().waitFor()
    expect(late.problems).toEqual([])
  })
})

describe("policy and hosts in the console", () => {
  it("Y9, X7: each agent has a verdict for each tool with its rule and line, and arguments are judged before they are sent", async () => {
    await fixture.client.request("calls.start", { session: "judged", tool: "system.info" })
    const { page, problems } = await fixture.open("/policy")
    const cell = (name: string) => page.getByRole("button", { name, exact: true })
    await cell("shell.exec for any agent: allow").waitFor()
    const refused = cell("shell.exec for reviewer: deny")
    expect(await refused.locator("..").textContent()).toContain("toolkeep.yaml line 12")
    await page.getByRole("searchbox", { name: "Search tools" }).fill("file.remove")
    await cell("shell.exec for any agent: allow").waitFor({ state: "detached" })
    await cell("file.remove for any agent: allow").click()
    const dialog = page.getByRole("dialog", { name: "file.remove for any agent" })
    await dialog.getByText("would run").waitFor()
    const typed = dialog.getByRole("textbox", { name: "What if: arguments as JSON" })
    await typed.fill('{ "path": "/home/user/x" }')
    await dialog.getByText("would be refused").waitFor()
    await dialog.getByText("Homes stay.").first().waitFor()
    await dialog.getByRole("button", { name: "Close" }).click()
    await page.getByRole("textbox", { name: "One more agent" }).fill("stranger")
    await page.keyboard.press("Enter")
    await cell("file.remove for stranger: allow").waitFor()
    expect(problems).toEqual([])
  })

  it("Y9, F21: the promises of a host are proved from its page, with each result as it comes", async () => {
    const { page, problems } = await fixture.open("/hosts")
    await page.getByRole("button", { name: "Prove memory" }).click()
    await page.getByText(/^Proving: [1-9]\d* checks? done/).waitFor()
    // Whoever comes later sees it too; another host waits for its turn.
    const late = await fixture.open("/hosts")
    await late.page.getByText(/^Proving: [1-9]\d* checks? done/).waitFor()
    const other = fixture.client.request("hosts.prove", { host: "local" })
    await expect(other).rejects.toThrow("Another host is being proved.")
    expect([...problems, ...late.problems]).toEqual([])
  })
})
