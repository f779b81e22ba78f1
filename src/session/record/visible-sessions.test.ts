import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { openToolkeep } from "../open-toolkeep.ts"

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-sessions-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

async function record(home: string, ...names: readonly string[]): Promise<void> {
  await using toolkeep = await openToolkeep({ host: "memory", home, record: true })
  for (const name of names) await toolkeep.session(name).call("system.info")
}

it("Y14.sessions: sessions.list shows what was recorded, and sessions.delete deletes what is not open", async () => {
  const home = makeHome()
  await record(home, "old", "other")
  await using toolkeep = await openToolkeep({ host: "memory", home, record: true })
  const session = toolkeep.session("mine")
  await toolkeep.session("open").call("system.info")
  await session.call("system.info")
  const listed = await session.call("sessions.list", { limit: 3 })
  expect(listed).toMatchObject({
    ok: true,
    result: {
      kind: "sessions",
      sessions: expect.arrayContaining([
        expect.objectContaining({ session: "mine", own: true, open: true, entries: 2 }),
        expect.objectContaining({ session: "open", own: false, open: true, state: "idle" }),
      ]),
      truncated: true,
    },
  })
  expect(listed.ok && session.show(listed)).toMatch(
    /^mine: 2 entries, idle, open, this one, made .*, changed /m,
  )
  expect(await session.call("sessions.delete", { session: "old" })).toMatchObject({
    ok: true,
    result: { kind: "sessions", deleted: ["old"], deleted_count: 1 },
  })
  expect(await session.call("sessions.delete", { session: "old" })).toMatchObject({
    ok: false,
    kind: "not_found",
  })
  expect(await session.call("sessions.delete", { session: "open" })).toMatchObject({
    ok: false,
    kind: "unavailable",
    message: expect.stringContaining('The session "open" is open'),
  })
  expect(await session.call("sessions.delete", { session: "mine" })).toMatchObject({
    ok: false,
    kind: "rejected",
    message: "A session can't delete itself while it is open.",
  })
  const left = await session.call("sessions.list", {})
  const names = left.ok ? left.result.sessions.map((one) => one.session) : []
  expect(names.sort()).toEqual(["mine", "open", "other"])
})

it("Y14.sessions: deleting is a write that the policy decides on, and a session that is not recorded has neither tool", async () => {
  const home = makeHome()
  await record(home, "old")
  const policy = { tools: { rules: [{ deny: "sessions.delete", when: { session: ".*" } }] } }
  await using toolkeep = await openToolkeep({ host: "memory", home, record: true, policy })
  const session = toolkeep.session("mine")
  expect(await session.call("sessions.delete", { session: "old" })).toMatchObject({
    ok: false,
    kind: "rejected",
  })
  expect(await session.call("sessions.list", {})).toMatchObject({ ok: true })
  const tools = session.allTools().filter(({ name }) => name.startsWith("sessions."))
  expect(tools.map(({ name, effects }) => [name, effects])).toEqual([
    ["sessions.list", ["read"]],
    ["sessions.delete", ["write"]],
  ])
  await using plain = await openToolkeep({ host: "memory", home })
  expect(await plain.session("mine").start("sessions.list", {}).envelope).toMatchObject({
    ok: false,
    kind: "tool_not_found",
  })
})

it("Y14.sessions: a session with a memory of its own, such as that of a server's token, sees no other but its children", async () => {
  const home = makeHome()
  await record(home, "other")
  await using toolkeep = await openToolkeep({ host: "memory", home, record: true })
  const session = toolkeep.session("mine", { memory: "somebody" })
  await session.call("system.info")
  expect(await session.call("sessions.list", {})).toMatchObject({
    ok: true,
    result: { sessions: [expect.objectContaining({ session: "mine" })], truncated: false },
  })
  expect(await session.call("sessions.delete", { session: "other" })).toMatchObject({
    ok: false,
    kind: "not_found",
    message: 'There is no recorded session "other".',
  })
  const reader = toolkeep.session("reader")
  const seen = await reader.call("sessions.list", {})
  expect(seen.ok && seen.result.sessions).toHaveLength(2)
})
