import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import { expect, it, onTestFinished } from "vitest"
import { type ScriptedAnswer, scriptedModel } from "../../../test/support/agent/scripted-model.ts"
import { defineTool } from "../../contract/index.ts"
import { openToolkeep, type ToolkeepOptions } from "../../session/index.ts"
import { createAgent } from "../index.ts"
import { clarifyTool, completeTool, resultTool } from "./agent-tools.ts"
import { taskTool } from "./task-tool.ts"

async function open(options: Partial<ToolkeepOptions> = {}) {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-task-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const toolkeep = await openToolkeep({ host: "memory", home, record: true, ...options })
  onTestFinished(() => toolkeep.close())
  return { toolkeep, session: toolkeep.session("parent"), home }
}

const text = ({ prompt }: LanguageModelV4CallOptions) => JSON.stringify(prompt)
const isChild = (request: LanguageModelV4CallOptions) => text(request).includes("CHILD")
const turns = ({ prompt }: LanguageModelV4CallOptions) => prompt.length
const task = (input: object): ScriptedAnswer => ({
  calls: [{ tool: "task", input: { task: "CHILD: do it.", ...input } }],
})

it("F2.task, F16.ids, F16.session, F16.events, F16.result, F17.identity, F17.context: a task is a child session with an id and a record of its own, whose result is the call's", async () => {
  const { toolkeep, session } = await open()
  const model = scriptedModel((request) => {
    if (isChild(request) && !text(request).includes("PARENT")) {
      return turns(request) > 2
        ? { text: "The child's answer." }
        : { calls: [{ tool: "shell_exec", input: { command: "echo child" } }] }
    }
    return turns(request) > 2 ? { text: "Done." } : task({})
  })
  await createAgent({ model }).run(session, "PARENT: delegate.").result
  const record = await session.record?.()
  const entries = (await record?.entries()) ?? []
  const child = entries.find(({ kind }) => kind === "child")?.body as {
    session: string
    call: string
  }
  expect(child.session).toBe(`parent/${child.call}`)
  const envelope = entries.find(
    ({ kind, body }) => kind === "envelope" && (body as { call: string }).call === child.call,
  )
  expect(envelope?.body).toMatchObject({
    envelope: {
      ok: true,
      tool: "task",
      result: { session: child.session, why: "finished", text: "The child's answer.", calls: 1 },
    },
  })
  // The child's own record names its parent, and has its calls; the parent's has none of them.
  const own = toolkeep.session(child.session)
  const childRecord = await own.record?.()
  expect(await childRecord?.session()).toMatchObject({
    parent: { session: record?.id, call: child.call },
    state: "idle",
  })
  const heard = JSON.stringify(await childRecord?.entries())
  expect(heard).toContain("echo child")
  expect(JSON.stringify(entries)).not.toContain("echo child")
  const asked = model.requests.filter((request) => !text(request).includes("PARENT"))
  expect(asked).toHaveLength(2)
})

it("F16.cwd, F17.cleanup: a task works in the directory that it is given, in its parent's sandbox or in one of its own that ends with it", async () => {
  const { session } = await open()
  await session.call("shell.exec", { command: "mkdir -p app; echo here > app/note" })
  const model = scriptedModel((request) => {
    if (isChild(request) && !text(request).includes("PARENT")) {
      return turns(request) > 2
        ? { text: "ok" }
        : { calls: [{ tool: "shell_exec", input: { command: "cat note || echo nothing" } }] }
    }
    if (turns(request) === 2) return task({ cwd: "app" })
    return turns(request) === 4 ? task({ sandbox: "own" }) : { text: "Done." }
  })
  await createAgent({ model }).run(session, "PARENT: delegate.").result
  const seen = model.requests
    .filter((request) => !text(request).includes("PARENT") && turns(request) > 2)
    .map((request) => JSON.stringify(request.prompt.at(-1)))
  expect(seen[0]).toContain("here")
  expect(seen[1]).toContain("nothing")
  expect(session.sandboxes.list().map(({ name }) => name)).toEqual(["default"])
})

it("F16.role: a task inherits its parent's role, and what any of its ancestors may not do, it may not do either", async () => {
  const policy = {
    tools: {},
    agents: { main: { deny: ["file.write"] }, writer: { allow: ["*"] } },
  } as const
  const { session } = await open({ policy })
  const write = { tool: "file_write", input: { path: "a.txt", content: "a" } }
  const model = scriptedModel((request) => {
    if (isChild(request) && !text(request).includes("PARENT")) {
      return turns(request) > 2 ? { text: "ok" } : { calls: [write] }
    }
    if (turns(request) === 2) return task({ role: "writer" })
    return turns(request) === 4 ? task({}) : { text: "Done." }
  })
  const roles = { writer: { description: "Writes." } }
  await createAgent({ model, name: "main", roles }).run(session, "PARENT: delegate.").result
  const answers = model.requests
    .filter((request) => !text(request).includes("PARENT") && turns(request) > 2)
    .map((request) => JSON.stringify(request.prompt.at(-1)))
  expect(answers).toHaveLength(2)
  for (const answer of answers) expect(answer).toContain("rejected")
  for (const request of model.requests) {
    expect(request.tools?.map(({ name }) => name)).not.toContain("file_write")
  }
})

it("F16.depth: tasks nest four deep, and the deepest has no tool to go on", async () => {
  const { session } = await open()
  const model = scriptedModel((request) => {
    const canGoOn = request.tools?.some(({ name }) => name === "task")
    return turns(request) === 2 && canGoOn ? task({}) : { text: "Done." }
  })
  expect(await createAgent({ model }).run(session, "Go.").result).toMatchObject({ why: "finished" })
  const beginnings = model.requests.filter((request) => turns(request) === 2)
  expect(beginnings).toHaveLength(5)
  expect(beginnings.at(-1)?.tools?.map(({ name }) => name)).not.toContain("task")
})

it("F16.cancel: a task ends with its parent, and so does the work in its sandbox", async () => {
  const started = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const slow = defineTool({
    name: "test.slow",
    description: "Waits.",
    input: { type: "object", properties: {}, additionalProperties: false },
    async run(_input, { signal }) {
      started.resolve()
      await new Promise((resolve) => signal.addEventListener("abort", resolve))
      stopped.resolve()
    },
  })
  const { session } = await open({ tools: [slow] })
  const model = scriptedModel((request) =>
    isChild(request) && !text(request).includes("PARENT")
      ? { calls: [{ tool: "test_slow", input: {} }] }
      : task({}),
  )
  const run = createAgent({ model }).run(session, "PARENT: delegate.")
  await started.promise
  run.abort()
  await stopped.promise
  expect(await run.result).toMatchObject({ why: "aborted" })
})

it("F17: a child that a killed process left goes on from its own record, and its finished calls do not run again", async () => {
  const { session } = await open()
  let fails = true
  const model = scriptedModel((request) => {
    if (isChild(request) && !text(request).includes("PARENT")) {
      if (turns(request) === 2) {
        return { calls: [{ tool: "shell_exec", input: { command: "echo once >> count" } }] }
      }
      // As a process that ends here: nothing of this answer is recorded.
      if (fails) throw Object.assign(new Error("gone"), { name: "AbortError" })
      return { text: "The child went on." }
    }
    return turns(request) > 2 ? { text: "Done." } : task({})
  })
  const agent = createAgent({ model })
  const run = agent.run(session, "PARENT: delegate.")
  await run.result
  fails = false
  const result = await agent.resume(session).result
  expect(result).toMatchObject({ why: "finished" })
  expect(await session.call("file.read", { path: "count" })).toMatchObject({
    result: { text: expect.stringMatching(/^once\n?$/) },
  })
})

it("the definitions of the agent's own tools keep their word", async () => {
  const { session } = await open()
  const person = () => {
    throw new Error("Nobody is asked.")
  }
  const roles = { reviewer: { description: "Reads the code." } }
  const deps = { session, options: { roles } } as unknown as Parameters<typeof taskTool>[0]
  // An agent defines them without the check of definitions, which throws here for what is wrong.
  const tools = [completeTool(), clarifyTool(person), resultTool(() => session), taskTool(deps)]
  expect(tools.map(({ name }) => name)).toEqual(["complete", "clarify", "result.read", "task"])
})
