import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { scriptedModel } from "../../test/support/agent/scripted-model.ts"
import { defineTool } from "../contract/index.ts"
import { openToolkeep, type Session } from "../session/index.ts"
import { createAgent } from "./index.ts"

const seen: string[] = []
const look = defineTool({
  name: "test.look",
  description: "Looks at the session.",
  effects: ["read"],
  input: { type: "object", properties: {}, additionalProperties: false },
  async run(_input, { session, workspace }) {
    const entries = await session.entries()
    seen.push(session.name)
    return {
      session: session.name,
      moved: entries.some(({ kind }) => kind === "moved"),
      note: await (await workspace()).readFile("note.txt"),
    }
  },
})

async function open() {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-output-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const toolkeep = await openToolkeep({ host: "memory", home, record: true, tools: [look] })
  onTestFinished(() => toolkeep.close())
  return { toolkeep, input: toolkeep.session("in"), output: toolkeep.session("out") }
}

const entriesOf = async (session: Session) => (await (await session.record?.())?.entries()) ?? []
const moves = async (session: Session) =>
  (await entriesOf(session))
    .filter(({ kind }) => /mov/.test(kind))
    .map(({ kind, body }) => ({ kind, body }))
const names = ({ sandboxes }: Session) => sandboxes.list().map(({ name }) => name)

it("R6.moves, R6.tools: a run moves the sandboxes to its output session, whose tools see that one, and both records say so", async () => {
  const { input, output } = await open()
  seen.length = 0
  const model = scriptedModel((_request, count) => {
    if (count === 0) return { text: "Noted." }
    return count === 1 ? { calls: [{ tool: "test_look", input: {} }] } : { text: "Done." }
  })
  const agent = createAgent({ model })
  await agent.run(input, "Remember the word fjord.").result
  await input.call("file.write", { path: "note.txt", content: "from the input" })
  const result = await agent.run(input, "Look.", { output }).result
  expect(result).toMatchObject({ why: "finished", text: "Done." })
  expect([names(input), names(output), seen]).toEqual([[], ["default"], ["out"]])
  expect(await moves(input)).toEqual([
    { kind: "moving", body: { to: "out", sandboxes: ["default"] } },
  ])
  expect(await moves(output)).toEqual([
    { kind: "moved", body: { from: "in", sandboxes: ["default"] } },
  ])
  // The run, its calls and their results are the output's; it knows what was said before.
  expect((await entriesOf(output)).find(({ kind }) => kind === "envelope")?.body).toMatchObject({
    envelope: {
      ok: true,
      result: { session: "out", moved: true, note: "from the input" },
    },
  })
  expect((await entriesOf(input)).filter(({ kind }) => kind === "run")).toHaveLength(1)
  expect(JSON.stringify(model.requests[1]?.prompt)).toContain("fjord")
  expect(await input.start("file.read", { path: "note.txt" }).envelope).toMatchObject({
    ok: false,
    kind: "not_found",
  })
})

it("R6.moves: a move that was cut off is completed by whoever repeats it, and one that fails is recorded as such", async () => {
  const { toolkeep, input, output } = await open()
  await input.call("file.write", { path: "note.txt", content: "kept" })
  // As a process that ended after the sandboxes had moved: only the intention is in the record.
  const record = await input.record?.()
  const body = { to: "out", sandboxes: ["default"] }
  await record?.append([{ kind: "moving", at: 1, body, isMilestone: true }])
  await (input.sandboxes as never as { moveTo(to: unknown): Promise<unknown> }).moveTo(
    output.sandboxes,
  )
  const agent = createAgent({ model: scriptedModel([{ text: "Done." }]) })
  expect(await agent.run(input, "Go.", { output }).result).toMatchObject({ why: "finished" })
  expect(await moves(output)).toEqual([
    { kind: "moved", body: { from: "in", sandboxes: ["default"] } },
  ])
  const third = toolkeep.session("third")
  await third.call("file.write", { path: "a.txt", content: "a" })
  await expect(third.moveSandboxes(output)).rejects.toThrow("default")
  expect((await moves(third)).map(({ kind }) => kind)).toEqual(["moving", "not-moved"])
  expect(names(third)).toEqual(["default"])
})

it("R6.moves: a child can't give away the sandboxes that it shares with its parent", async () => {
  const { input, output } = await open()
  await input.call("file.write", { path: "a.txt", content: "a" })
  const child = input.child({ name: "in/1", call: "1", sandboxes: "shared" })
  await expect(child.moveSandboxes(output)).rejects.toThrow("stay with it")
  expect(names(input)).toEqual(["default"])
})
