import { AsyncLocalStorage } from "node:async_hooks"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api"
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace"
import { expect, it, onTestFinished } from "vitest"
import { type ScriptedAnswer, scriptedModel } from "../../test/support/agent/scripted-model.ts"
import { defineTool } from "../contract/index.ts"
import { openToolkeep, type ToolkeepOptions } from "../session/index.ts"
import { createAgent } from "./index.ts"

async function open(options: Partial<ToolkeepOptions> = {}) {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-trace-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const toolkeep = await openToolkeep({ host: "memory", home, record: true, ...options })
  onTestFinished(() => toolkeep.close())
  const exporter = new InMemorySpanExporter()
  const started: string[] = []
  const order = new SimpleSpanProcessor({ exporter: new InMemorySpanExporter() })
  order.onStart = (span) => void started.push(span.spanContext().spanId)
  const spanProcessors = [new SimpleSpanProcessor({ exporter }), order]
  const tracer = new TracerProvider({ spanProcessors }).getTracer("a test")
  /** Those that have ended, in the order of their starts. */
  const spans = () => {
    const ended = exporter.getFinishedSpans()
    return started.flatMap((id) => ended.filter((span) => span.spanContext().spanId === id))
  }
  return { session: toolkeep.session("demo"), tracer, spans }
}

interface Tree {
  readonly name: string
  readonly status: string
  readonly attributes: Attributes
  readonly children: readonly Tree[]
}

/** The spans below a parent; without one, those that have none. */
function treesOf(spans: readonly ReadableSpan[], parent?: string): readonly Tree[] {
  return spans
    .filter((span) => span.parentSpanContext?.spanId === parent)
    .map((span) => ({
      name: span.name,
      status: SpanStatusCode[span.status.code] + (span.status.message ?? ""),
      attributes: span.attributes,
      children: treesOf(spans, span.spanContext().spanId),
    }))
}

const conversation = (name: unknown) => ({ "gen_ai.conversation.id": name })
const scripted = { "gen_ai.provider.name": "scripted", "gen_ai.request.model": "script" }

const invocation = (session: unknown, end: string, more: Attributes = {}) => ({
  ...{ "gen_ai.operation.name": "invoke_agent", ...conversation(session), ...scripted },
  ...{ "toolkeep.end": end, ...more },
})
const chat = (session: unknown, finish: string, [input, output]: readonly [number, number]) => ({
  name: "chat script",
  status: "UNSET",
  attributes: {
    ...{ "gen_ai.operation.name": "chat", ...conversation(session), ...scripted },
    "gen_ai.request.max_tokens": 500,
    "gen_ai.response.finish_reasons": [finish],
    "gen_ai.usage.input_tokens": input,
    "gen_ai.usage.output_tokens": output,
    "gen_ai.usage.cache_read.input_tokens": 0,
  },
  children: [],
})
const execution = (tool: string, session: unknown, more: Attributes = {}) => ({
  "gen_ai.operation.name": "execute_tool",
  ...conversation(session),
  "gen_ai.tool.name": tool,
  "gen_ai.tool.call.id": expect.any(String),
  "gen_ai.tool.type": "function",
  ...more,
})

it("F20.events: a run is a tree of spans with its requests, its calls and its tasks, and none has a word of what was said", async () => {
  const { session, tracer, spans } = await open()
  const model = scriptedModel(({ prompt }) => {
    const text = JSON.stringify(prompt)
    if (text.includes("SECRET task") && !text.includes("SECRET work")) {
      return prompt.length > 2
        ? { text: "SECRET child", usage: { input: 6, output: 5 } }
        : {
            calls: [{ tool: "shell_exec", input: { command: "echo SECRET" } }],
            usage: { input: 4, output: 3 },
          }
    }
    const answers: Record<number, ScriptedAnswer> = {
      2: {
        calls: [
          { tool: "file_read", input: { path: "SECRET.txt" } },
          { tool: "task", input: { task: "SECRET task" } },
        ],
        usage: { input: 20, output: 10 },
      },
    }
    return answers[prompt.length] ?? { text: "SECRET end", usage: { input: 40, output: 2 } }
  })
  const agent = createAgent({
    ...{ model, tracer, name: "poet", maxOutputTokens: 500 },
    instructions: "SECRET instructions",
  })
  await agent.run(session, "SECRET work").result
  const [, call] = spans()
    .map(({ attributes }) => attributes["gen_ai.conversation.id"])
    .filter((name) => name !== "demo")
  const child = `${call}`
  expect(child).toMatch(/^demo\/.+/)
  const named = { "gen_ai.agent.name": "poet" }
  expect(treesOf(spans())).toEqual([
    {
      name: "invoke_agent poet",
      status: "UNSET",
      attributes: invocation("demo", "finished", named),
      children: [
        chat("demo", "tool-calls", [20, 10]),
        {
          name: "execute_tool file.read",
          status: "ERROR",
          attributes: execution("file.read", "demo", { "error.type": "not_found" }),
          children: [],
        },
        {
          name: "execute_tool task",
          status: "UNSET",
          attributes: execution("task", "demo"),
          children: [
            {
              name: "invoke_agent poet",
              status: "UNSET",
              attributes: invocation(child, "finished", named),
              children: [
                chat(child, "tool-calls", [4, 3]),
                {
                  name: "execute_tool shell.exec",
                  status: "UNSET",
                  attributes: execution("shell.exec", child),
                  children: [],
                },
                chat(child, "stop", [6, 5]),
              ],
            },
          ],
        },
        chat("demo", "stop", [40, 2]),
      ],
    },
  ])
  const told = spans().map(({ name, attributes, status, events }) => ({
    ...{ name, attributes, status, events },
  }))
  expect(JSON.stringify(told)).not.toContain("SECRET")
})

it("F20.events: with traceContent the spans also have what was said, called and answered, and why something failed", async () => {
  const { session, tracer, spans } = await open()
  const input = JSON.stringify({ path: "none.txt" })
  const model = scriptedModel([
    { text: "I look.", calls: [{ tool: "file_read", input }] },
    { calls: [{ tool: "shell_exec", input: { command: "echo hello" } }] },
    { text: "Done." },
  ])
  await createAgent({ model, tracer, traceContent: true }).run(session, "Look.").result
  const [{ children } = { children: [] }] = treesOf(spans())
  const [asked, failed, , ran, last] = children
  const parsed = (span: Tree | undefined, name: string) =>
    JSON.parse(String(span?.attributes[`gen_ai.${name}`]))
  const id = failed?.attributes["gen_ai.tool.call.id"]
  const output = {
    role: "assistant",
    parts: [
      { type: "text", content: "I look." },
      { type: "tool_call", id, name: "file_read", arguments: input },
    ],
  }
  expect(parsed(asked, "system_instructions")).toEqual([
    { type: "text", content: expect.any(String) },
  ])
  const said = { role: "user", parts: [{ type: "text", content: "Look." }] }
  expect(parsed(asked, "input.messages")).toEqual([said])
  expect(parsed(asked, "output.messages")).toEqual([{ ...output, finish_reason: "tool-calls" }])
  expect(failed?.attributes["gen_ai.tool.call.arguments"]).toBe(input)
  expect(failed?.status).toMatch(/^ERROR.*none\.txt/)
  expect(parsed(ran, "tool.call.result")).toMatchObject({ stdout: "hello\n", exit_code: 0 })
  expect(parsed(last, "input.messages").slice(0, 3)).toEqual([
    said,
    output,
    {
      role: "tool",
      parts: [{ type: "tool_call_response", id, response: expect.stringContaining("none.txt") }],
    },
  ])
})

it("F20.events: an abort ends the spans of the run and its call with an error", async () => {
  const started = Promise.withResolvers<void>()
  const wait = defineTool({
    ...{ name: "wait", description: "Waits until it is ended.", effects: ["read"] },
    input: { type: "object", properties: {}, additionalProperties: false },
    run: (_input, { signal }) => {
      started.resolve()
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason))
      })
    },
  })
  const { session, tracer, spans } = await open({ tools: [wait] })
  const model = scriptedModel([
    { calls: [{ tool: "wait", input: {} }], usage: { input: 2, output: 1 } },
  ])
  const run = createAgent({ model, tracer, maxOutputTokens: 500 }).run(session, "Go.")
  await started.promise
  run.abort()
  expect(await run.result).toMatchObject({ why: "aborted" })
  expect(treesOf(spans())).toEqual([
    {
      name: "invoke_agent",
      status: "ERROR",
      attributes: invocation("demo", "aborted", { "error.type": "aborted" }),
      children: [
        chat("demo", "tool-calls", [2, 1]),
        {
          name: "execute_tool wait",
          status: "ERROR",
          attributes: execution("wait", "demo", { "error.type": "execution_error" }),
          children: [],
        },
      ],
    },
  ])
})

it("F20.events: a model's answer that is aborted, and a request that is sent again, are requests with an error each", async () => {
  const { session, tracer, spans } = await open()
  const asked = Promise.withResolvers<void>()
  const model = scriptedModel((_request, count) => {
    if (count === 0) throw Object.assign(new Error("SECRET"), { statusCode: 529 })
    asked.resolve()
    return { text: "half", until: new Promise(() => {}) }
  })
  const agent = createAgent({ model, tracer, maxOutputTokens: 500 })
  const run = agent.run(session, "Go.")
  await asked.promise
  run.abort()
  await run.result
  const [{ children } = { children: [] }] = treesOf(spans())
  const requests = children.map(({ name, status, attributes }) => {
    return [name, status, attributes["error.type"], attributes["gen_ai.response.finish_reasons"]]
  })
  expect(requests).toEqual([
    ["chat script", "ERROR", "unavailable", undefined],
    ["chat script", "ERROR", "aborted", ["aborted"]],
  ])
})

it("F20.events, X7: a call that waits for a person ends its span without an error, and has another one when the run goes on", async () => {
  const { session, tracer, spans } = await open({
    policy: { tools: { hooks: { confirm: ["shell.*"] } } },
  })
  const model = scriptedModel([
    {
      calls: [{ tool: "shell_exec", input: { command: "echo asked" } }],
      usage: { input: 2, output: 1 },
    },
    { text: "Done.", usage: { input: 3, output: 1 } },
  ])
  const agent = createAgent({ model, tracer, maxOutputTokens: 500 })
  const parked = await agent.run(session, "Go.").result
  expect(parked.why).toBe("waiting")
  const approve = createAgent({
    ...{ model, tracer, maxOutputTokens: 500 },
    approve: async ({ fingerprint }) => ({ kind: "approved", fingerprint }),
  })
  await approve.resume(session).result
  const call = (more: Attributes) => ({
    name: "execute_tool shell.exec",
    status: "UNSET",
    attributes: execution("shell.exec", "demo", more),
    children: [],
  })
  const run = (end: string, children: readonly Tree[]) => ({
    ...{ name: "invoke_agent", status: "UNSET", attributes: invocation("demo", end), children },
  })
  expect(treesOf(spans())).toEqual([
    run("waiting", [chat("demo", "tool-calls", [2, 1]), call({ "toolkeep.end": "waiting" })]),
    run("finished", [call({}), chat("demo", "stop", [3, 1])]),
  ])
})

it("F20.events: what advance does has spans without a run, which is the workflow engine's", async () => {
  const { session, tracer, spans } = await open({
    policy: { tools: { hooks: { confirm: ["shell.*"] } } },
  })
  const model = scriptedModel([
    { calls: [{ tool: "shell_exec", input: { command: "echo asked" } }] },
    { text: "Done." },
  ])
  await createAgent({ model }).run(session, "Go.").result
  const agent = createAgent({
    ...{ model, tracer },
    approve: async ({ fingerprint }) => ({ kind: "approved", fingerprint }),
  })
  while ((await agent.advance(session)).kind !== "ended");
  const trees = treesOf(spans())
  expect(trees.map(({ name }) => name)).toEqual(["execute_tool shell.exec", "chat script"])
})

it("F20.events: the program's own span is the parent of a run, and a call's span that of what its tool traces", async () => {
  const store = new AsyncLocalStorage<Context>()
  const manager = {
    active: () => store.getStore() ?? ROOT_CONTEXT,
    with: (at: never, work: () => never) => store.run(at, work),
    bind: (_: never, target: never) => target,
    enable: () => manager,
    disable: () => manager,
  }
  context.setGlobalContextManager(manager as never)
  onTestFinished(() => context.disable())
  const traced = defineTool({
    ...{ name: "traced", description: "Traces.", effects: ["read"] },
    input: { type: "object", properties: {}, additionalProperties: false },
    run: async () => {
      tracer.startSpan("inside").end()
      return {}
    },
  })
  const { session, tracer, spans } = await open({ tools: [traced] })
  const model = scriptedModel([
    { calls: [{ tool: "traced", input: {} }] },
    { calls: [{ tool: "traced", input: {} }] },
    { text: "Done." },
  ])
  const agent = createAgent({ model, tracer })
  const outer = tracer.startSpan("outer")
  await context.with(trace.setSpan(context.active(), outer), async () => {
    const run = agent.run(session, "Go.", { limits: { rounds: 1 } })
    expect((await run.result).why).toBe("limit")
  })
  outer.end()
  const names = (trees: readonly Tree[]): unknown =>
    trees.map(({ name, children }) => (children.length > 0 ? [name, names(children)] : name))
  const call = ["execute_tool traced", ["inside"]]
  const first = ["outer", [["invoke_agent", ["chat script", call]]]]
  expect(names(treesOf(spans()))).toEqual([first])
})
