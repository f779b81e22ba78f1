import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { openToolkeep } from "../../session/index.ts"
import { httpLimits } from "../limits.ts"
import { createOwnSessions } from "./own-sessions.ts"

it("Y9, O4: at the limit of open sessions the one that rested longest makes room, and none in which something works", async () => {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-sessions-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  await using toolkeep = await openToolkeep({ host: "memory", home, policy: "full" })
  const working = new Set<string>()
  const sessions = createOwnSessions({ toolkeep, hasRun: (session) => working.has(session) })
  const isOpen = (name: string) => toolkeep.sessions().some((session) => session.name === name)
  for (let count = 0; count < httpLimits.sessions; count += 1) sessions.open(`session ${count}`)
  // The first has a sandbox that is awake, the second was used again, the third has a run.
  await sessions.open("session 0").call("shell.exec", { command: "echo kept > note.txt" })
  sessions.open("session 1")
  working.add("session 2")
  sessions.open("one more")
  expect(["session 0", "session 1", "session 2", "session 3"].map(isOpen)).toEqual([
    ...[true, true, true, false],
  ])
  expect(toolkeep.sessions()).toHaveLength(httpLimits.sessions)
  // What was closed is opened again when it is used.
  expect(await sessions.open("session 3").call("system.info", {})).toMatchObject({ ok: true })

  for (const { name } of toolkeep.sessions()) working.add(name)
  expect(() => sessions.open("too many")).toThrow(/1000 sessions open, and something works in each/)
  expect(isOpen("too many")).toBe(false)
})
