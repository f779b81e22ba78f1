import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { type ApiEvent, createClient } from "../../src/api/index.ts"
import { createQuestions, serveApi } from "../../src/http/index.ts"
import { httpLimits } from "../../src/http/limits.ts"
import { type Clock, systemClock } from "../../src/kit/index.ts"
import { createPreviewHub } from "../../src/sandbox/index.ts"
import { openToolkeep, type Toolkeep } from "../../src/session/index.ts"
import { openRecord, type RecordStore } from "../../src/store/index.ts"

let home: string
let keep: Toolkeep
let server: Awaited<ReturnType<typeof serveApi>>
let store: RecordStore
/** Another process with the same record. */
let other: RecordStore

/** Heartbeats are not waited for. */
const clock: Clock = {
  ...systemClock,
  after: (milliseconds, callback) =>
    systemClock.after(milliseconds === httpLimits.heartbeatMs ? 20 : milliseconds, callback),
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "toolkeep-all-"))
  const file = join(home, "record.sqlite")
  store = await openRecord({ file })
  other = await openRecord({ file })
  keep = await openToolkeep({ host: "memory", home, record: store })
  const questions = createQuestions({ store, clock: systemClock })
  const previewHub = createPreviewHub()
  server = await serveApi(keep, { store, home, questions, previewHub, clock, port: 0 })
})
afterAll(async () => {
  await server.close()
  await keep.close()
  await other.close()
  await store.close()
  rmSync(home, { recursive: true })
})

const url = () => `http://127.0.0.1:${server.port}`
const note = (text: string) => ({ kind: "note", at: 1_000, body: { text } })
const textOf = ({ data }: ApiEvent) => `${Object(data).session} ${Object(data).body?.text}`

/** Collects the entries that a client is sent, until the test ends. */
function collect(given: { after?: number }, token = server.token, send = fetch) {
  const client = createClient({ url: url(), token, fetch: send })
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const events: ApiEvent[] = []
  void (async () => {
    for await (const event of client.watch("record.watch", given, stop)) events.push(event)
  })()
  return events
}

/** Ends the stream of the first request after the first piece that has an event, as a network does. */
function breakingFetch(): { readonly send: typeof fetch; readonly from: (string | null)[] } {
  const from: (string | null)[] = []
  const send: typeof fetch = async (address, init) => {
    from.push(new Headers(init?.headers).get("last-event-id"))
    const response = await fetch(address, init)
    if (from.length > 1) return response
    const reader = response.body?.getReader()
    let text = ""
    // A heartbeat may come before it.
    while (!text.includes("id: ")) {
      const piece = await reader?.read()
      if (!piece || piece.done) break
      text += Buffer.from(piece.value).toString()
    }
    await reader?.cancel()
    return new Response(text, response)
  }
  return { send, from }
}

describe("the events of all sessions", () => {
  it("Y16, F20: come once each and in one order, from any position and over a lost connection, whichever process writes", async () => {
    const [one, two] = [await store.open("one"), await other.open("two")]
    await one.append([note("a"), note("b")])
    await two.append([note("c")])
    const broken = breakingFetch()
    const followed = [collect({ after: 0 }), collect({ after: 0 }, server.token, broken.send)]
    const now = collect({})
    await expect.poll(() => now).toHaveLength(1)
    expect(now).toMatchObject([{ event: "from", id: 3, data: { after: 3 } }])
    for (const text of ["d", "e", "f"]) {
      await one.append([note(text)])
      await two.append([note(text)])
    }
    const texts = ["one a", "one b", "one d", "one e", "one f"]
    for (const events of followed) {
      await expect.poll(() => events).toHaveLength(9)
      const ids = events.map(({ id = 0 }) => id)
      expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
      const ofOne = events.filter(({ data }) => Object(data).session === "one")
      expect(ofOne.map(textOf)).toEqual(texts)
    }
    expect(followed[0]).toEqual(followed[1])
    expect(followed[0]?.[0]).toEqual({
      ...{ event: "entry", id: 1 },
      data: {
        session: "one",
        sequence: 1,
        parent: null,
        kind: "note",
        at_ms: 1_000,
        body: { text: "a" },
      },
    })
    expect(broken.from).toEqual([null, expect.stringMatching(/^[1-9]$/)])
    await expect.poll(() => now.slice(1)).toEqual(followed[0]?.slice(3))
    const rest = collect({ after: 6 })
    await expect.poll(() => rest).toEqual(followed[0]?.slice(6))
  })

  it("C18, X7: the token of one session is sent what is its own and its tasks', and others what they may read", async () => {
    const client = createClient({ url: url(), token: server.token })
    const made = { name: "agent", kind: "session", session: "mine" } as const
    const { secret } = await client.request("tokens.create", made)
    const after = await store.position()
    const own = collect({ after }, secret)
    const mine = await store.open("mine")
    const task = await store.open("mine/task", { parent: { session: mine.id, call: "1" } })
    const others = [await store.open("mine/no task"), await store.open("mine2")]
    for (const session of [...others, mine, task]) await session.append([note("x")])
    await mine.append([note("last")])
    await expect.poll(() => own).toHaveLength(3)
    expect(own.map(textOf).toSorted()).toEqual(["mine last", "mine x", "mine/task x"])
    const approver = await client.request("tokens.create", { name: "only", kind: "approve" })
    const headers = { Authorization: `Bearer ${approver.secret}` }
    expect((await fetch(`${url()}/api/record/events`, { headers })).status).toBe(403)
  })

  it("Y16: a stream without events says that it is alive, and a token that is revoked loses it", async () => {
    const client = createClient({ url: url(), token: server.token })
    const { token, secret } = await client.request("tokens.create", { name: "r", kind: "read" })
    const headers = { Authorization: `Bearer ${secret}`, "Last-Event-ID": "999999" }
    const { body } = await fetch(`${url()}/api/record/events`, { headers })
    let text = ""
    let revoked: Promise<unknown> | undefined
    for await (const bytes of body ?? []) {
      text += Buffer.from(bytes).toString()
      // Once: more heartbeats may come before the stream ends.
      if (text.includes("event: heartbeat")) {
        revoked ??= client.request("tokens.revoke", { token })
      }
    }
    await revoked
    expect(text).toMatch(/^event: heartbeat\ndata: \{"at_ms":\d+\}\n\n/)
    expect(text).not.toContain("entry")
  })
})
