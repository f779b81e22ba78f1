import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { scriptedModel } from "../../../test/support/agent/scripted-model.ts"
import { openToolkeep } from "../../session/index.ts"
import { createAgent } from "../index.ts"
import { replaySession } from "./replay-session.ts"

async function recorded() {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-replay-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const toolkeep = await openToolkeep({ host: "memory", home, record: true })
  onTestFinished(() => toolkeep.close())
  const session = toolkeep.session("demo")
  const model = scriptedModel([
    { calls: [{ tool: "file_write", input: { path: "a.txt", content: "one" } }] },
    {
      calls: [
        { tool: "shell_exec", input: { command: "cat a.txt; ls missing" } },
        { tool: "file_list", input: { path: "." } },
      ],
    },
    { calls: [{ tool: "file_read", input: { path: "missing.txt" } }] },
    { text: "Done." },
  ])
  await createAgent({ model }).run(session, "Go.").result
  const record = await session.record?.()
  if (!record) throw new Error("The session is not recorded.")
  return { toolkeep, session, record }
}

it("X6: a session is replayed without a model, from what is recorded or with its tools running again", async () => {
  const { toolkeep, record } = await recorded()
  const known = await replaySession({ record, session: toolkeep.session("known") })
  expect(known).toEqual({ calls: 4, messages: 3, differences: [], ignored: [], notCaptured: [] })
  const live = await replaySession({ record, session: toolkeep.session("live"), live: true })
  expect(live).toMatchObject({ calls: 4, messages: 3, differences: [], notCaptured: [] })
  expect(live.ignored).toContain("result.duration_ms")
})

it("X6: a replay names every call that comes out otherwise", async () => {
  const { toolkeep, record } = await recorded()
  const other = toolkeep.session("other")
  await other.call("file.write", { path: "b.txt", content: "new" })
  const { differences } = await replaySession({ record, session: other, live: true })
  expect(differences.map(({ tool, path }) => `${tool} ${path}`)).toContain(
    "file_list result.entry_count",
  )
})

it("X6: what was recorded on one host is replayed on another whose tools have other arguments, with the edits of a person", async () => {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-replay-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-replay-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const policy = { tools: { hooks: { confirm: ["file.write"] } } }
  await using local = await openToolkeep({ host: "local", directory, home, record: true, policy })
  const session = local.session("demo")
  const model = scriptedModel([
    { calls: [{ tool: "file_write", input: { path: "a.txt", content: "sent" } }] },
    { calls: [{ tool: "shell_exec", input: { command: "cat a.txt", timeout_ms: "5000" } }] },
    { text: "Done." },
  ])
  const input = { path: "a.txt", content: "edited" }
  const approve = async () => ({ kind: "edited", input }) as const
  await createAgent({ model, approve }).run(session, "Go.").result
  const record = await session.record?.()
  if (!record) throw new Error("The session is not recorded.")
  await using memory = await openToolkeep({ host: "memory", home, record: true })
  const live = await replaySession({ record, session: memory.session("live"), live: true })
  expect(live).toMatchObject({
    ...{ calls: 2, messages: 2 },
    differences: [{ path: "result.cwd", recorded: directory, now: "/home/user" }],
  })
})
