import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { WebSocket } from "ws"
import { createClient } from "../../src/api/index.ts"
import { createQuestions, serveApi } from "../../src/http/index.ts"
import { httpLimits } from "../../src/http/limits.ts"
import { type Clock, systemClock } from "../../src/kit/index.ts"
import type { HttpServer } from "../../src/mcp/index.ts"
import { createPreviewHub } from "../../src/sandbox/index.ts"
import { openToolkeep, type Toolkeep } from "../../src/session/index.ts"
import { openRecord, type RecordStore } from "../../src/store/index.ts"

const home = mkdtempSync(join(tmpdir(), "toolkeep-event-sockets-"))
let server: HttpServer
let keep: Toolkeep
let store: RecordStore
/** What happens to readers that have taken nothing for a minute, when that minute is over. */
const stalled = new Set<() => void>()
const clock: Clock = {
  ...systemClock,
  after(milliseconds, act) {
    if (milliseconds !== httpLimits.streamStallMs) return systemClock.after(milliseconds, act)
    stalled.add(act)
    return () => stalled.delete(act)
  },
}

beforeAll(async () => {
  store = await openRecord({ file: join(home, "record.sqlite") })
  keep = await openToolkeep({ host: "memory", home, record: store })
  const questions = createQuestions({ store, clock })
  server = await serveApi(keep, {
    ...{ store, home, questions, previewHub: createPreviewHub(), port: 0, clock },
    tokens: ["0123456789abcdef0123456789abcdef"],
  })
})
afterAll(async () => {
  await server?.close()
  await keep?.close()
  await store?.close()
  rmSync(home, { recursive: true, force: true })
})

const owner = () => createClient({ url: server.url.replace(/\/mcp$/, ""), token: server.token })
const write = (path: string) =>
  owner().request("calls.start", {
    ...{ session: "demo", tool: "file.write", input: { path, content: "hello" } },
  })

/** What a socket hears after its first message; the events as their text. */
async function ask(first: unknown, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/streams`, { headers })
  onTestFinished(() => socket.terminate())
  const said: unknown[] = []
  let events = ""
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) events += data.toString()
    else said.push(JSON.parse(String(data)))
  })
  socket.on("error", () => {})
  const closed = new Promise<number>((resolve) => socket.once("close", resolve))
  const opened = await new Promise<number>((resolve) => {
    socket.once("open", () => resolve(101))
    socket.once("unexpected-response", (_, { statusCode = 0 }) => resolve(statusCode))
  })
  if (opened === 101) socket.send(typeof first === "string" ? first : JSON.stringify(first))
  return { opened, said, closed, socket, events: () => events }
}

const path = "/api/sessions/demo/events"
const bearer = (token: string) => `Bearer ${token}`

describe("events over a socket", () => {
  it("X7: are the same as over HTTP, go on after the last one, and end with the session's token", async () => {
    await write("a.txt")
    const all = await ask({ path, authorization: bearer(server.token) })
    await expect.poll(all.events).toContain('"a.txt"')
    expect(all.said).toEqual([{ status: 200 }])
    const last = [...all.events().matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ""
    await write("b.txt")
    await expect.poll(all.events).toContain('"b.txt"')
    const { secret, token } = await owner().request("tokens.create", {
      ...{ name: "reader", kind: "read" },
    })
    const rest = await ask({ path, authorization: bearer(secret), last_event_id: last })
    await expect.poll(rest.events).toContain('"b.txt"')
    expect(rest.events()).not.toContain('"a.txt"')
    await owner().request("tokens.revoke", { token })
    await write("c.txt")
    expect(await rest.closed).toBe(1000)
    expect(rest.events()).not.toContain('"c.txt"')
  })

  it("Y16: a reader that takes nothing loses its connection, and gets the rest with the next", async () => {
    const start = (content: string) =>
      owner().request("calls.start", {
        ...{ session: "much", tool: "file.write", input: { path: "a.txt", content } },
      })
    await start("first")
    const much = { path: "/api/sessions/much/events", authorization: bearer(server.token) }
    const slow = await ask(much)
    await expect.poll(slow.events).toContain('"first"')
    const others = new Set(stalled)
    slow.socket.pause()
    for (let calls = 0; calls < 24; calls += 1) await start("0123456789abcdef".repeat(40_000))
    await start("last")
    // What is on its way fills what the kernel holds; then it takes nothing more.
    await expect.poll(() => stalled.size).toBeGreaterThan(others.size)
    for (const end of [...stalled].filter((one) => !others.has(one))) end()
    slow.socket.resume()
    expect(await slow.closed).toBe(1006)
    expect(slow.events()).not.toContain('"last"')
    const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    // Without an event that has come in part.
    const taken = ids(slow.events().slice(0, slow.events().lastIndexOf("\n\n")))
    const rest = await ask({ ...much, last_event_id: String(taken.at(-1)) })
    await expect.poll(rest.events).toContain('"last"')
    const all = [...taken, ...ids(rest.events())]
    expect(all).toEqual(Array.from({ length: all.length }, (_, index) => index + 1))
  })

  it("X7: other pages, strangers and narrower tokens get none, and nothing but events is answered", async () => {
    const other = { Origin: "http://127.0.0.1:1" }
    const authorization = bearer(server.token)
    expect((await ask({ path, authorization }, other)).opened).toBe(403)
    const rebound = { Host: "evil.example" }
    expect((await ask({ path, authorization }, rebound)).opened).toBe(403)
    const { secret } = await owner().request("tokens.create", {
      ...{ name: "approver", kind: "approve" },
    })
    const refusals = [
      { first: { path }, status: 401 },
      { first: { path, authorization: bearer("wrong") }, status: 401 },
      { first: { path, authorization: bearer(secret) }, status: 403 },
      { first: { path: "/api/sessions/none/events", authorization }, status: 404 },
      { first: { path: "/api/sessions", authorization }, status: 404 },
      { first: { path: "/openapi.json", authorization }, status: 404 },
    ]
    for (const { first, status } of refusals) {
      const { said, closed, events } = await ask(first)
      expect(await closed).toBe(1000)
      expect(said).toMatchObject([{ status }])
      expect(events()).toBe("")
    }
    for (const first of [
      "{",
      "[]",
      { authorization },
      { path: "//evil.example/", authorization },
    ]) {
      const { said, closed } = await ask(first)
      expect([1000, 1008]).toContain(await closed)
      expect(said.every((one) => Object(one).status !== 200)).toBe(true)
    }
  })
})
