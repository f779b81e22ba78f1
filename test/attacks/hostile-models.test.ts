import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { expect, it, onTestFinished } from "vitest"
import { createAgent } from "../../src/agent/index.ts"
import { modelLimits } from "../../src/agent/limits.ts"
import { defineTool } from "../../src/contract/index.ts"
import { listenOnLoopback } from "../../src/node/index.ts"
import { openToolkeep, type ToolkeepOptions } from "../../src/session/index.ts"
import { scriptedModel } from "../support/agent/scripted-model.ts"

async function openSession(tools: ToolkeepOptions["tools"] = []) {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-models-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const toolkeep = await openToolkeep({ host: "memory", home, record: true, tools })
  onTestFinished(() => toolkeep.close())
  return toolkeep
}

/** A server at a model's address that does with each request what it wants. */
async function startServer(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const server = createServer((request, response) => {
    request.resume()
    response.on("error", () => {})
    answer(response, request)
  })
  const port = await listenOnLoopback(server, 0, false)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${port}/v1`
}

const stream = (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "text/event-stream" })
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const delta = (part: object) => event({ id: "1", choices: [{ index: 0, delta: part }] })
const ends = `${event({ id: "1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`

/** The same for ever, as fast as it is read. */
function writeForEver(response: ServerResponse, piece: string): void {
  const more = () => {
    while (!response.destroyed && response.write(piece));
  }
  response.on("drain", more)
  more()
}

const call = (id: string) => ({ index: 0, id, function: { name: "system_info", arguments: "{}" } })

it.each<[string, (response: ServerResponse) => void]>([
  [
    "a text without end",
    (response) => writeForEver(stream(response), delta({ content: "x".repeat(10_000) })),
  ],
  [
    "thoughts without end",
    (response) => writeForEver(stream(response), delta({ reasoning_content: "x".repeat(10_000) })),
  ],
  ["a line without end", (response) => writeForEver(stream(response), "x".repeat(10_000))],
  [
    "arguments without end",
    (response) => {
      stream(response).write(delta({ tool_calls: [{ ...call("a"), index: 0 }] }))
      const more = { index: 0, function: { arguments: "x".repeat(10_000) } }
      writeForEver(response, delta({ tool_calls: [more] }))
    },
  ],
  [
    "an error without end",
    (response) => {
      response.writeHead(400, { "content-type": "application/json" })
      writeForEver(response, "x".repeat(10_000))
    },
  ],
])(
  "F18, O30: a model that sends %s fails its run, and this process keeps its memory",
  async (_, answer) => {
    const toolkeep = await openSession()
    const url = await startServer(answer)
    const agent = createAgent({ model: `${url}#m` })
    const result = await agent.run(toolkeep.session("one"), "Go.").result
    expect(result).toMatchObject({ why: "failed" })
    const record = await toolkeep.session("one").record?.()
    const recorded = JSON.stringify(await record?.entries()).length
    expect(recorded).toBeLessThan(2 * modelLimits.answerCharacters)
    expect((await toolkeep.session("two").call("system.info", {})).ok).toBe(true)
  },
)

it("F18, O30: an answer with calls without number is refused, and nothing of it is run", async () => {
  const toolkeep = await openSession()
  const model = scriptedModel(() => ({
    calls: Array.from({ length: 20_000 }, () => ({ id: "same", tool: "system_info", input: {} })),
  }))
  const result = await createAgent({ model }).run(toolkeep.session("one"), "Go.").result
  expect(result).toMatchObject({ why: "failed", spent: { calls: 0 } })
  expect(result).toMatchObject({ text: expect.stringContaining("more than 1024 parts") })
})

it("F18, C18: a server that sends a request elsewhere does not send the key along", async () => {
  const got: (string | undefined)[] = []
  const elsewhere = await startServer((response, request) => {
    got.push(request.headers.authorization)
    stream(response).end(ends)
  })
  const url = await startServer((response) => {
    response.writeHead(307, { location: `${elsewhere}/chat/completions` }).end()
  })
  const toolkeep = await openSession()
  const agent = createAgent({ model: `${url}#m`, limits: { milliseconds: 3_000 } })
  const result = await agent.run(toolkeep.session("one"), "Go.").result
  expect(["failed", "limit"]).toContain(result.why)
  expect(got).toEqual([])
})

it("X2, F18: a tool that a model makes up is counted like any other, whatever it is called", async () => {
  const toolkeep = await openSession()
  const names = ["constructor", "__proto__", "toString", "hasOwnProperty", "x".repeat(100_000)]
  const model = scriptedModel((_request, count) =>
    count < 2 ? { calls: names.map((tool) => ({ tool, input: {} })) } : { text: "Done." },
  )
  const agent = createAgent({ model, limits: { callsOf: { "system.info": 1 } } })
  const result = await agent.run(toolkeep.session("one"), "Go.").result
  expect(result).toMatchObject({ why: "finished", spent: { calls: 10 } })
  const { callsOf } = result.spent
  expect(Object.entries(callsOf)).toEqual(names.slice(0, 4).map((name) => [name, 2]))
  const answers = JSON.stringify(model.requests.at(-1)?.prompt)
  expect(answers).not.toContain("native code")
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
})

it("X2, F17: tasks that run at the same time share what their run may use, and so do calls of one tool", async () => {
  let used = 0
  const spend = defineTool({
    name: "budget.spend",
    description: "Costs something.",
    input: { type: "object", properties: {}, additionalProperties: false } as const,
    run: () => ({ used: ++used }),
  })
  const toolkeep = await openSession([spend])
  const isTask = (text: string) => text.includes("TASK") && !text.includes("PARENT")
  const model = scriptedModel(({ prompt }) => {
    if (isTask(JSON.stringify(prompt))) return { calls: [{ tool: "budget_spend", input: {} }] }
    const calls = Array.from({ length: 12 }, () => ({ tool: "task", input: { task: "TASK" } }))
    return prompt.length > 2 ? { text: "Done." } : { calls }
  })
  const limits = { rounds: 20, callsOf: { "budget.spend": 5 } }
  const result = await createAgent({ model, limits }).run(toolkeep.session("one"), "PARENT").result
  expect(result.why).toBe("limit")
  // Each of the tasks may have been in a round when the last one was used.
  expect(model.requests.length).toBeLessThanOrEqual(limits.rounds + 12)
  expect(used).toBeLessThanOrEqual(limits.callsOf["budget.spend"] + 12)
})

it("F18, Y15: thousands of events that are nearly right never end more than their run", async () => {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(null, -1, 1e308, "", "__proto__", [], {}, true, "\u0000\ud800"),
    fc.jsonValue({ maxDepth: 3 }),
  )
  const field = (value: unknown) => fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, odd)
  const part = fc.record(
    {
      content: field("x"),
      reasoning_content: field("y"),
      role: field("assistant"),
      tool_calls: field([call("a")]),
      __proto__: odd,
    },
    { requiredKeys: [] },
  )
  const chunk = fc.record(
    {
      id: field("1"),
      choices: fc.oneof(
        part.map((one) => [{ index: 0, delta: one }]),
        fc
          .tuple(part, odd)
          .map(([one, reason]) => [{ index: reason, delta: one, finish_reason: reason }]),
        odd,
      ),
      usage: field({ prompt_tokens: 1, completion_tokens: 1 }),
      error: odd,
    },
    { requiredKeys: ["choices"] },
  )
  const answers = fc.sample(fc.array(chunk, { minLength: 5, maxLength: 30 }), {
    numRuns: 250,
    seed: 9,
  })
  let sent = 0
  const url = await startServer((response) => {
    const chunks = answers.pop() ?? []
    sent += chunks.length
    // Something of an answer: an empty one would be asked for again, seconds later.
    stream(response).write(delta({ content: "Hello." }))
    for (const one of chunks) response.write(event(one))
    response.end(ends)
  })
  const toolkeep = await openSession()
  const limits = { rounds: 2, milliseconds: 20_000 }
  const agent = createAgent({ model: `${url}#m`, limits })
  for (let run = 0; answers.length > 0; run += 1) {
    await using session = toolkeep.session(`run ${run}`)
    const { why } = await agent.run(session, "Go.").result
    expect(["finished", "failed", "limit", "completed"]).toContain(why)
  }
  expect(sent).toBeGreaterThan(2_000)
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
  expect((await toolkeep.session("after").call("system.info", {})).ok).toBe(true)
})
