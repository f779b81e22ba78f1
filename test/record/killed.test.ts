import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, it } from "vitest"
import type { Envelope } from "../../src/contract/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { openRecord, type RecordEntry } from "../../src/store/index.ts"
import { makeDirectory } from "./record-fixture.ts"

const sessionUrl = new URL("../../src/session/index.ts", import.meta.url).href

/** Says each answer once it has it, and goes on until it is killed. */
const work = `
  import { writeSync } from "node:fs"
  const [url, home] = process.argv.slice(1)
  const { openToolkeep } = await import(url)
  const toolkeep = await openToolkeep({ host: "bubblewrap", home, durable: true })
  const session = toolkeep.session("work")
  const say = (value) => writeSync(1, JSON.stringify(value) + "\\n")
  const repeat = async (tool, inputOf) => {
    for (let number = 0; ; number += 1) {
      const { id, envelope } = session.start(tool, inputOf(number))
      say({ call: id, envelope: await envelope })
    }
  }
  void repeat("shell.exec", (number) => ({ command: "echo " + number + "; sleep 0.02" }))
  void repeat("shell.exec", (number) => ({ command: "head -c 20000 /dev/zero | tr '\\\\0' x; echo " + number }))
  void repeat("file.write", (number) => ({ path: "file", content: String(number) }))
  void repeat("system.info", () => ({}))
`

/** One call that prints and goes on for ever. */
const wait = `
  const [url, home] = process.argv.slice(1)
  const { openToolkeep } = await import(url)
  const toolkeep = await openToolkeep({ host: "bubblewrap", home, durable: true })
  const running = toolkeep.session("work").start("shell.exec", { command: "echo half; sleep 4000555" })
  console.log(JSON.stringify({ call: running.id }))
`

function startProgram(program: string, home: string) {
  const args = ["--input-type=module", "-e", program, sessionUrl, home]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  return { child, lines: createInterface({ input: child.stdout }) }
}

interface Said {
  readonly call: string
  readonly envelope: Envelope
}

/** Kills it some time after it has said so many lines. What it had said before that. */
async function killAfter(home: string, count: number, moreMs: number): Promise<readonly Said[]> {
  const { child, lines } = startProgram(work, home)
  const said: Said[] = []
  for await (const line of lines) {
    said.push(JSON.parse(line))
    if (said.length === count) setTimeout(() => child.kill("SIGKILL"), moreMs)
  }
  if (child.signalCode === null) await once(child, "exit")
  expect(child.signalCode).toBe("SIGKILL")
  return said
}

async function entriesOf(home: string): Promise<readonly RecordEntry[]> {
  await using toolkeep = await openToolkeep({ host: "bubblewrap", home, durable: true })
  const record = await toolkeep.session("work").record?.()
  expect(await record?.unclosed()).toEqual([])
  const all: RecordEntry[] = []
  for (;;) {
    const page = (await record?.entries({ after: all.length })) ?? []
    if (page.length === 0) return all
    all.push(...page)
  }
}

function makeHome(): string {
  const home = makeDirectory()
  // Sandboxes are other users, which walk through it.
  chmodSync(home, 0o711)
  return home
}

const rounds = 8

describe("kill -9 of a process that records", () => {
  it("F20, Y16: at any moment loses nothing that was given out, and leaves each call with exactly one answer", async () => {
    const home = makeHome()
    const said: Said[] = []
    for (let round = 0; round < rounds; round += 1) {
      said.push(...(await killAfter(home, 1 + round * 3, Math.random() * 60)))
      const entries = await entriesOf(home)
      expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1))
      const bodies = (kind: string) =>
        entries.filter((entry) => entry.kind === kind).map(({ body }) => body as Said)
      const calls = bodies("call").map(({ call }) => call)
      const answers = bodies("envelope")
      expect(new Set(calls).size).toBe(calls.length)
      expect(answers.map(({ call }) => call).sort()).toEqual(calls.toSorted())
      const given = new Map(answers.map(({ call, envelope }) => [call, envelope]))
      for (const { call, envelope } of said) expect(given.get(call)).toEqual(envelope)
      const sayings = new Set(said.map(({ call }) => call))
      const unsaid = answers.filter(({ call, envelope }) => !sayings.has(call) && !envelope.ok)
      for (const { envelope } of unsaid) {
        expect(envelope).toMatchObject({ kind: "execution_error", retryable: false })
      }
    }
    expect(said.length).toBeGreaterThan(rounds)
  }, 240_000)

  it("F20: answers the call that ran with the output it had, and that its outcome is unknown", async () => {
    const home = makeHome()
    const { child, lines } = startProgram(wait, home)
    const [line] = await once(lines, "line")
    const { call } = JSON.parse(line)
    const store = await openRecord({ file: join(home, "record.sqlite") })
    await expect
      .poll(async () => (await (await store.read("work"))?.output(call))?.head, { timeout: 60_000 })
      .toBe("half\n")
    await expect(store.open("work")).rejects.toThrow(
      `The session "work" is open in another process (process ${child.pid}).`,
    )
    child.kill("SIGKILL")
    await once(child, "exit")
    await store.close()
    const entries = await entriesOf(home)
    expect(entries.map(({ kind }) => kind)).toEqual(["call", "envelope"])
    expect(entries[1]?.body).toMatchObject({
      call,
      envelope: {
        ok: false,
        tool: "shell.exec",
        kind: "execution_error",
        retryable: false,
        message: expect.stringMatching(/outcome is unknown.*It had printed:\nhalf/s),
      },
    })
    // And once: the next who opens it finds it answered.
    expect(await entriesOf(home)).toEqual(entries)
  }, 120_000)
})
