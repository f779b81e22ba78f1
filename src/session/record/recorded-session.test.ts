import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { defineTool } from "../../contract/index.ts"
import type { RecordEntry } from "../../store/index.ts"
import { openToolkeep } from "../open-toolkeep.ts"

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-record-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

const bodies = (entries: readonly RecordEntry[]) =>
  entries.map(({ kind, body }) => ({ kind, body }))

it("F20, Y16: a recorded session keeps each call as it was sent, its repairs, its verdict and its envelope", async () => {
  const home = makeHome()
  await using toolkeep = await openToolkeep({ host: "memory", home, record: true })
  const session = toolkeep.session("demo")
  const envelope = await session.start("shell.exec", { command: "echo hi", timeout_ms: "5000" })
    .envelope
  const record = await session.record?.()
  const entries = (await record?.entries()) ?? []
  expect(bodies(entries)).toEqual([
    {
      kind: "call",
      body: expect.objectContaining({
        tool: "shell.exec",
        input: { command: "echo hi", timeout_ms: "5000" },
        checked: expect.objectContaining({ timeout_ms: 5000 }),
        repairs: ['timeout_ms: text "5000" read as 5000'],
        verdict: expect.objectContaining({ kind: "allow" }),
        sandbox: "default",
      }),
    },
    {
      kind: "envelope",
      body: expect.objectContaining({ envelope, duration_ms: expect.any(Number) }),
    },
  ])
  expect(entries.map(({ sequence, parent }) => [sequence, parent])).toEqual([
    [1, null],
    [2, 1],
  ])
})

it("F20: events give what was recorded after a number, and then what happens, as it happens", async () => {
  const home = makeHome()
  await using toolkeep = await openToolkeep({ host: "memory", home, record: true })
  const session = toolkeep.session("demo")
  await session.call("system.info")
  const stop = new AbortController()
  const heard: string[] = []
  for await (const { sequence, kind } of session.events({ after: 1, signal: stop.signal })) {
    heard.push(`${sequence} ${kind}`)
    if (sequence === 2) void session.call("system.info")
    if (sequence === 4) stop.abort()
  }
  expect(heard).toEqual(["2 envelope", "3 call", "4 envelope"])
})

it("X6: a tool that may change something is in the record before it starts, one that only reads with its answer", async () => {
  const home = makeHome()
  const seen: Record<string, number> = {}
  const look = (name: string, effects: readonly ("read" | "write")[]) =>
    defineTool({
      name,
      effects,
      description: "Looks at the record.",
      input: { type: "object", properties: {}, additionalProperties: false },
      async run() {
        const record = await toolkeep.session("demo").record?.()
        seen[name] = (await record?.entries())?.length ?? -1
      },
    })
  const tools = [look("test.reads", ["read"]), look("test.writes", ["write"])]
  await using toolkeep = await openToolkeep({ host: "memory", home, record: true, tools })
  const session = toolkeep.session("demo")
  await session.start("test.reads", {}).envelope
  await session.start("test.writes", {}).envelope
  expect(seen).toEqual({ "test.reads": 0, "test.writes": 3 })
})
