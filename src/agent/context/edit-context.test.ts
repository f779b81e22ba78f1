import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { type ScriptedAnswer, scriptedModel } from "../../../test/support/agent/scripted-model.ts"
import { openToolkeep } from "../../session/index.ts"
import { createAgent } from "../index.ts"

async function openSession() {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-context-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const toolkeep = await openToolkeep({ host: "memory", home, record: true })
  onTestFinished(() => toolkeep.close())
  return toolkeep.session("demo")
}

const promptText = (model: ReturnType<typeof scriptedModel>, at: number) =>
  JSON.stringify(model.requests.at(at)?.prompt)

/** Every result has its call before it, in the message before. */
function requirePairs(model: ReturnType<typeof scriptedModel>): void {
  for (const { prompt } of model.requests) {
    prompt.forEach((message, index) => {
      if (message.role !== "tool") return
      const before = prompt[index - 1]
      expect(before?.role).toBe("assistant")
      const ids = JSON.stringify(before?.content)
      for (const part of message.content) {
        if (part.type === "tool-result") expect(ids).toContain(part.toolCallId)
      }
    })
  }
}

const lines = "printf 'word %.0s' $(seq 1 400)"

it("O6, X8.budget: when room is short, old listings collapse and old outputs shrink to a handle, all in one edit", async () => {
  const session = await openSession()
  await session.call("file.write", { path: "a.txt", content: "a" })
  const model = scriptedModel((_request, count): ScriptedAnswer => {
    // The provider counts more than fits after the sixth round.
    const usage = { input: count >= 6 ? 9_000 : 100, output: 1 }
    if (count === 0) return { calls: [{ tool: "file_list", input: { path: "." } }], usage }
    if (count < 8) return { calls: [{ tool: "shell_exec", input: { command: lines } }], usage }
    return { text: "Done.", usage: { input: 100, output: 1 } }
  })
  const agent = createAgent({ model, contextTokens: 10_000 })
  expect(await agent.run(session, "Go.").result).toMatchObject({ why: "finished" })
  expect(promptText(model, 6)).not.toContain("result.read with")
  expect(promptText(model, 7)).toContain('"1 entries in .')
  expect(promptText(model, 7)).toContain("result.read with")
  const edits = (await (await session.record?.())?.entries({ milestones: true }))?.filter(
    ({ kind }) => kind === "edit",
  )
  expect(edits).toHaveLength(1)
  requirePairs(model)
  // The handle leads to the whole answer.
  const call = /"call\\+": \\+"(call_[^\\"]+)/.exec(promptText(model, 7))?.[1]
  expect(call).toBeDefined()
})

it("X8: what does not fit then becomes a summary, never between a call and its answer, and a restart reads no further back", async () => {
  const session = await openSession()
  let summaries = 0
  const model = scriptedModel(({ prompt }, count): ScriptedAnswer => {
    const last = JSON.stringify(prompt.at(-1))
    if (last.includes("Write a summary")) {
      summaries += 1
      return { text: `Summary ${summaries}: the password is swordfish.` }
    }
    if (count < 12) {
      const text = `Step ${count}. ${"I think. ".repeat(300)}`
      return { text, calls: [{ tool: "system_info", input: {} }] }
    }
    return { text: "Done." }
  })
  const agent = createAgent({ model, contextTokens: 20_000 })
  expect(await agent.run(session, "The password is swordfish.").result).toMatchObject({
    why: "finished",
  })
  expect(summaries).toBeGreaterThan(0)
  const last = promptText(model, -1)
  expect(last).toContain("as a summary")
  expect(last).toContain("swordfish")
  expect(last).not.toContain("Step 0.")
  requirePairs(model)
})

it("X8: on a provider's overflow the context is edited and the request repeated once; a second overflow ends the run", async () => {
  const session = await openSession()
  let refusals = 0
  const overflow = () => {
    refusals += 1
    throw Object.assign(new Error("prompt is too long: 200001 tokens > 200000 maximum"), {
      name: "AI_APICallError",
      statusCode: 400,
      responseBody:
        '{"error":{"type":"invalid_request_error","message":"prompt is too long: 200001 tokens > 200000 maximum"}}',
    })
  }
  const model = scriptedModel((_request, count): ScriptedAnswer => {
    if (count < 6) return { calls: [{ tool: "shell_exec", input: { command: lines } }] }
    if (refusals === 0) return overflow()
    return { text: "Done." }
  })
  const result = await createAgent({ model }).run(session, "Go.").result
  expect(result).toMatchObject({ why: "finished", text: "Done." })
  expect(promptText(model, -1)).toContain("result.read with")

  const always = scriptedModel(overflow)
  const other = await openSession()
  expect(await createAgent({ model: always }).run(other, "Go.").result).toMatchObject({
    why: "failed",
    text: expect.stringContaining("too long"),
  })
})

const refused = (message: string) => {
  throw Object.assign(new Error(message), {
    ...{
      name: "AI_APICallError",
      statusCode: 400,
      responseBody: JSON.stringify({ error: { message } }),
    },
  })
}

const isSummaryRequest = (prompt: readonly unknown[]) =>
  JSON.stringify(prompt.at(-1)).includes("Write a summary")

it("X8: a summary that can't be written loses nothing: the run goes on while it fits, and else says why it ends", async () => {
  const session = await openSession()
  let isFull = false
  const model = scriptedModel(({ prompt }, count): ScriptedAnswer => {
    if (isSummaryRequest(prompt)) return refused("no summaries today")
    if (isFull) return refused("prompt is too long: 200001 tokens > 200000 maximum")
    const text = `Step ${count}. ${"I think. ".repeat(300)}`
    return count < 12 ? { text, calls: [{ tool: "system_info", input: {} }] } : { text: "Done." }
  })
  const agent = createAgent({ model, contextTokens: 20_000 })
  expect(await agent.run(session, "The password is swordfish.").result).toMatchObject({
    why: "finished",
  })
  expect(promptText(model, -1)).toContain("swordfish")
  expect(promptText(model, -1)).toContain("Step 0.")
  isFull = true
  expect(await agent.run(session, "Go on.").result).toMatchObject({
    why: "failed",
    text: expect.stringMatching(/no summary could be written\. .*no summaries today/),
  })
  isFull = false
  expect(await agent.run(session, "Again.").result).toMatchObject({ why: "finished" })
  expect(promptText(model, -1)).toContain("swordfish")
})

it("X8: a summary counts against the limits like any other answer", async () => {
  const session = await openSession()
  const usage = { input: 10, output: 5 }
  let summaries = 0
  const model = scriptedModel(({ prompt }, count): ScriptedAnswer => {
    if (isSummaryRequest(prompt)) {
      summaries += 1
      return { text: "Summary.", usage: { input: 1_000, output: 500 } }
    }
    const text = `Step ${count}. ${"I think. ".repeat(900)}`
    return count < 8
      ? {
          text,
          calls: [{ tool: "system_info", input: {} }],
          usage: { ...usage, input: count * 2_000 },
        }
      : { text: "Done.", usage }
  })
  const prices = { input: 1, output: 1 }
  const agent = createAgent({ model, contextTokens: 10_000, prices })
  const { spent } = await agent.run(session, "Go.").result
  expect(summaries).toBeGreaterThan(0)
  const answers = model.requests.length - summaries
  expect(spent.rounds).toBe(answers + summaries)
  expect(spent.tokens).toBeGreaterThanOrEqual(summaries * 1_500)
  expect(spent.cost).toBeCloseTo(spent.tokens / 1_000_000)
})
