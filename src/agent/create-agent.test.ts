import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { scriptedModel } from "../../test/support/agent/scripted-model.ts"
import { defineTool } from "../contract/index.ts"
import { openToolkeep, type ToolkeepOptions } from "../session/index.ts"
import { createAgent } from "./index.ts"

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-agent-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

async function openSession(options: Partial<ToolkeepOptions> = {}) {
  const toolkeep = await openToolkeep({
    host: "memory",
    home: makeHome(),
    record: true,
    ...options,
  })
  onTestFinished(() => toolkeep.close())
  return toolkeep.session("demo")
}

it("C11: the model is asked, every call runs and is answered by its id, until the model stops", async () => {
  const session = await openSession()
  const model = scriptedModel([
    {
      text: "I write two files.",
      calls: [
        { id: "a", tool: "file_write", input: { path: "a.txt", content: "one" } },
        { id: "b", tool: "shell_exec", input: { command: "echo two > b.txt; cat b.txt" } },
      ],
    },
    { calls: [{ id: "c", tool: "file_read", input: { path: "a.txt" } }] },
    { text: "Both are there." },
  ])
  const result = await createAgent({ model }).run(session, "Write a.txt and b.txt.").result
  expect(result).toEqual({
    why: "finished",
    text: "Both are there.",
    spent: expect.objectContaining({ rounds: 3, calls: 3 }),
  })
  const shown = model.requests[0]?.tools?.map(({ name }) => name)
  expect(shown).toEqual(
    expect.arrayContaining(["todo", "complete", "clarify", "task", "shell_exec"]),
  )
  const roles = model.requests.map(({ prompt }) => prompt.map(({ role }) => role).join(" "))
  expect(roles).toEqual([
    "system user",
    "system user assistant tool",
    "system user assistant tool assistant tool",
  ])
  expect(model.requests[1]?.prompt.at(-1)?.content).toEqual([
    expect.objectContaining({ toolCallId: "a", toolName: "file_write" }),
    expect.objectContaining({
      toolCallId: "b",
      output: expect.objectContaining({ value: expect.stringContaining("two") }),
    }),
  ])
})

it("C11: broken arguments, unknown tools, repeated ids and cut-off calls get answers too, and nothing cut off runs", async () => {
  const session = await openSession()
  const model = scriptedModel([
    {
      calls: [
        { id: "same", tool: "shell_exec", input: '{"command": "echo 1"' },
        { id: "same", tool: "no_such_tool", input: {} },
        { id: "third", tool: "shell_exec", input: { command: "echo ran", timeout_ms: "5000" } },
      ],
    },
    { text: "Done." },
  ])
  await createAgent({ model }).run(session, "Try.").result
  const answers = model.requests[1]?.prompt.at(-1)?.content as {
    toolCallId: string
    output: { value: unknown }
  }[]
  expect(new Set(answers.map(({ toolCallId }) => toolCallId)).size).toBe(3)
  expect(answers.map(({ output }) => String(output.value).split(":")[0])).toEqual([
    expect.stringMatching(/invalid_args|ran|1/),
    "tool_not_found",
    expect.stringContaining("ran"),
  ])
})

it("C11, X8: each request begins with the one before it, byte for byte", async () => {
  const session = await openSession()
  const model = scriptedModel((_request, count) =>
    count < 4
      ? { calls: [{ tool: "shell_exec", input: { command: `echo ${count}` } }] }
      : { text: "Done." },
  )
  await createAgent({ model }).run(session, "Count.").result
  const prompts = model.requests.map(({ prompt }) => JSON.stringify(prompt.slice(0, -1)))
  for (const [index, prompt] of prompts.entries()) {
    if (index === 0) continue
    const before = model.requests[index - 1]?.prompt ?? []
    const same = model.requests[index]?.prompt.slice(0, before.length)
    // A cache mark moves with the last message.
    const plain = (part: unknown) =>
      JSON.stringify(part).replaceAll(/,"providerOptions":\{[^}]*\}\}?/g, "")
    expect(plain(same)).toBe(plain(before))
    expect(prompt.length).toBeGreaterThan(0)
  }
})

it("X9.todo, X9.complete, X9.clarify: todo shows a plan, clarify asks the person, complete ends the run with a summary", async () => {
  const session = await openSession()
  const model = scriptedModel([
    {
      calls: [
        { tool: "todo", input: { items: [{ text: "ask", status: "doing" }, { text: "end" }] } },
      ],
    },
    { calls: [{ tool: "clarify", input: { question: "Which color?", options: ["red", "blue"] } }] },
    { calls: [{ tool: "complete", input: { summary: "The person likes blue." } }] },
  ])
  const asked: unknown[] = []
  const agent = createAgent({
    model,
    clarify: async (question) => {
      asked.push(question)
      return "blue"
    },
  })
  const result = await agent.run(session, "Find out the color.").result
  expect(asked).toEqual([{ question: "Which color?", options: ["red", "blue"] }])
  expect(result).toMatchObject({ why: "completed", text: "The person likes blue." })
  expect(JSON.stringify(model.requests[1]?.prompt.at(-1))).toContain("[~] ask\\n[ ] end")
  expect(JSON.stringify(model.requests[2]?.prompt.at(-1))).toContain("blue")
})

it("F16, F17: task runs a child session with a record, a context and a role of its own, and gives its result back", async () => {
  const session = await openSession()
  const model = scriptedModel(({ prompt }) => {
    const text = JSON.stringify(prompt)
    if (text.includes("You count.")) {
      return text.includes('"tool"')
        ? { text: "There is one file.", usage: { input: 30, output: 3 } }
        : { calls: [{ tool: "file_list", input: { path: "." } }], usage: { input: 20, output: 2 } }
    }
    return prompt.length > 2
      ? { text: "The child says one.", usage: { input: 10, output: 1 } }
      : {
          calls: [{ tool: "task", input: { task: "Count the files.", role: "counter" } }],
          usage: { input: 10, output: 1 },
        }
  })
  await session.call("file.write", { path: "one.txt", content: "1" })
  const agent = createAgent({
    model,
    name: "main",
    roles: { counter: { description: "Counts.", instructions: "You count." } },
  })
  const result = await agent.run(session, "How many files are there?").result
  expect(result).toMatchObject({
    why: "finished",
    text: "The child says one.",
    spent: { rounds: 4, calls: 2, tokens: 77 },
  })
  const child = model.requests.find(({ prompt }) => JSON.stringify(prompt).includes("You count."))
  expect(JSON.stringify(child?.prompt)).not.toContain("How many files")
  expect(JSON.stringify(model.requests.at(-1)?.prompt.at(-1))).toContain("There is one file.")
})

it("X7, X9: a question that nobody can be asked waits in the record; once it is answered, the run goes on in another process", async () => {
  const home = makeHome()
  const options = {
    ...{ host: "memory", home, durable: true },
    policy: { tools: { hooks: { confirm: ["shell.*"] } } },
  } as const
  const model = scriptedModel([
    {
      calls: [
        { tool: "shell_exec", input: { command: "echo asked" } },
        { tool: "file_write", input: { path: "beside.txt", content: "done" } },
      ],
    },
    { text: "Done." },
  ])
  const first = await openToolkeep(options)
  const parked = await createAgent({ model }).run(first.session("demo"), "Go.").result
  expect(parked).toMatchObject({
    why: "waiting",
    questions: [{ text: expect.stringContaining("echo asked") }],
  })
  await first.close()

  await using second = await openToolkeep(options)
  const session = second.session("demo")
  const still = await createAgent({ model }).resume(session).result
  expect(still).toMatchObject({ why: "waiting" })
  const [question] = (await (await session.record?.())?.openQuestions()) ?? []
  const { openRecord } = await import("../store/index.ts")
  await using store = await openRecord({ file: join(home, "record.sqlite") })
  expect(await store.answer(question?.id ?? "", { kind: "approved", by: "a test" })).toBe(true)
  const result = await createAgent({ model }).resume(session).result
  expect(result).toMatchObject({ why: "finished", text: "Done.", spent: { rounds: 2, calls: 2 } })
  const sent = JSON.stringify(model.requests[1]?.prompt.at(-1))
  expect(sent).toContain("asked")
  expect(model.requests).toHaveLength(2)
})

it("X8: limits end a run and say so; a tool over its own limit is refused and the run goes on", async () => {
  const session = await openSession()
  const model = scriptedModel(() => ({ calls: [{ tool: "system_info", input: {} }] }))
  const limits = { rounds: 3, callsOf: { "system.info": 1 } }
  const result = await createAgent({ model, limits }).run(session, "Loop.").result
  expect(result).toMatchObject({ why: "limit", limit: "3 rounds", spent: { rounds: 3, calls: 3 } })
  const last = JSON.stringify(model.requests.at(-1)?.prompt.at(-1))
  expect(last).toContain("The call limit of this run for system_info (1) is reached.")
})

it("X8: what is sent while the agent works is read before its next request; later it is not delivered", async () => {
  const session = await openSession()
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const model = scriptedModel((_request, count) => {
    asked.resolve()
    return count === 0 ? { text: "First.", until: gate.promise } : { text: "Second." }
  })
  const run = createAgent({ model }).run(session, "Start.")
  await asked.promise
  const sent = run.send("One more thing.")
  gate.resolve()
  expect(await sent).toBe("delivered")
  expect(await run.result).toMatchObject({ why: "finished", text: "Second." })
  expect(JSON.stringify(model.requests[1]?.prompt.at(-1))).toContain("One more thing.")
  expect(await run.send("Too late.")).toBe("not-delivered")
})

it("X8: what is sent and could not be recorded is not delivered", async () => {
  const session = await openSession()
  const record = await session.record?.()
  if (!record) throw new Error("The session is recorded.")
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const model = scriptedModel(() => {
    asked.resolve()
    return { text: "First.", until: gate.promise }
  })
  const run = createAgent({ model }).run(session, "Start.")
  await asked.promise
  const sent = run.send("One more thing.")
  const { append } = record
  const full = (...[entries, state]: Parameters<typeof append>) =>
    JSON.stringify(entries).includes("One more thing.")
      ? Promise.reject(new Error("The disk is full."))
      : append(entries, state)
  Object.assign(record, { append: full })
  gate.resolve()
  await expect(run.result).rejects.toThrow("The disk is full.")
  expect(await sent).toBe("not-delivered")
})

it("X8: an abort ends the model's answer and the work, and what had finished stays", async () => {
  const slow = defineTool({
    name: "test.slow",
    description: "Waits.",
    input: { type: "object", properties: {}, additionalProperties: false },
    async run(_input, { signal }) {
      started.resolve()
      await new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      )
    },
  })
  const started = Promise.withResolvers<void>()
  const session = await openSession({ tools: [slow] })
  const model = scriptedModel([
    {
      calls: [
        { tool: "file_write", input: { path: "a.txt", content: "kept" } },
        { tool: "test_slow", input: {} },
      ],
    },
    { text: "Went on." },
  ])
  const written = Promise.withResolvers<void>()
  session.listen((event) => {
    if (event.kind === "call-ended" && event.tool === "file_write") written.resolve()
  })
  const agent = createAgent({ model })
  const run = agent.run(session, "Go.")
  await Promise.all([started.promise, written.promise])
  run.abort()
  expect(await run.result).toMatchObject({ why: "aborted" })
  const again = await agent.run(session, "Go on.").result
  expect(again).toMatchObject({ why: "finished", text: "Went on." })
  const results = model.requests[1]?.prompt.find(({ role }) => role === "tool")
  expect(JSON.stringify(results)).toContain("a.txt")
  expect(JSON.stringify(results)).toContain("cancelled")
})

it("O7.steering, X8.task: an empty listing, a missing path and the same failing call get a note instead of a blind retry", async () => {
  const session = await openSession()
  const missing = { tool: "file_read", input: { path: "nowhere.txt" } }
  const model = scriptedModel([
    { calls: [{ tool: "file_list", input: { path: "." } }] },
    { calls: [missing] },
    { calls: [missing] },
    { text: "I give up." },
  ])
  await createAgent({ model }).run(session, "Look.").result
  const said = model.requests.slice(1).map(({ prompt }) => JSON.stringify(prompt.at(-1)))
  expect(said[0]).toContain("[note] The listing is empty")
  expect(said[1]).toContain("[note] Nothing is there")
  expect(said[2]).toContain("[note] The same call has failed 2 times in a row")
})

it("X8: a run with a schema ends with a value that satisfies it, or says that it gave up", async () => {
  const schema = {
    type: "object",
    properties: { count: { type: "integer" } },
    required: ["count"],
    additionalProperties: false,
  }
  const good = scriptedModel([
    { text: "Four." },
    { calls: [{ tool: "complete", input: { summary: "Counted.", result: { count: "many" } } }] },
    { calls: [{ tool: "complete", input: { summary: "Counted.", result: { count: 4 } } }] },
  ])
  const session = await openSession()
  expect(
    await createAgent({ model: good }).run(session, "Count.", { schema }).result,
  ).toMatchObject({
    why: "completed",
    value: { count: 4 },
  })
  const bad = scriptedModel(() => ({ text: "Four." }))
  const other = await openSession()
  // Each run has its own tries.
  for (const task of ["Count.", "Count again."]) {
    expect(await createAgent({ model: bad }).run(other, task, { schema }).result).toMatchObject({
      why: "failed",
      text: expect.stringContaining("no value that satisfies the schema in 4 tries"),
    })
  }
})

it("X8: the time of a run ends the model's answer too, and the run says that it was the time", async () => {
  const session = await openSession()
  const model = scriptedModel([{ text: "I think", until: new Promise(() => {}) }])
  const limits = { milliseconds: 300 }
  const result = await createAgent({ model, limits }).run(session, "Think.").result
  expect(result).toMatchObject({ why: "limit", limit: "300 ms" })
})
