import { connect } from "node:net"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { defineTool } from "../../src/contract/index.ts"
import { serverLimits } from "../../src/mcp/limits.ts"
import { type HttpGround, openHttpGround } from "./http-ground.ts"
import { connectOlder, newer, type RawAnswer, send } from "./raw-client.ts"
import { visibleProcesses } from "./visible-processes.ts"

const nothing = { type: "object", properties: {}, additionalProperties: false } as const

/** A call that says nothing until it is let go. */
let letGo = () => {}
const silent = defineTool({
  name: "test.silent",
  description: "Waits in silence.",
  input: nothing,
  run: (_, { signal }) =>
    new Promise<{ text: string }>((resolve, reject) => {
      letGo = () => resolve({ text: "done" })
      signal.addEventListener("abort", () => reject(signal.reason))
    }),
})

const call = { id: 7, method: "tools/call", params: { name: "test_silent" } }
const result = { structuredContent: { ok: true, result: { text: "done" } } }

describe("a long call that is silent", () => {
  let ground: HttpGround
  beforeAll(async () => {
    ground = await openHttpGround({ tools: () => [silent], limits: { keepAliveMs: 40 } })
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  it("is heard of more often than proxies with a limit of 30 s ask for", () => {
    expect(serverLimits.keepAliveMs).toBeLessThanOrEqual(15_000)
  })

  const signs = (answer: RawAnswer) => answer.text().match(/^: keepalive$/gm)?.length ?? 0

  it("F20: sends an older client comments and pings, and answers the client's own pings meanwhile", async () => {
    const session = await connectOlder(ground)
    const answer = await session.post(call)
    await expect.poll(() => signs(answer)).toBeGreaterThan(2)
    const pings = () => answer.messages().filter(({ method }) => method === "ping")
    await expect.poll(() => pings().length).toBeGreaterThan(1)
    const ping = await session.post({ id: 8, method: "ping" })
    await ping.ended
    expect(ping.messages()).toEqual([{ jsonrpc: "2.0", id: 8, result: {} }])
    const listening = await send(ground, { headers: session.headers })
    await expect.poll(() => signs(listening)).toBeGreaterThan(2)
    listening.cut()
    letGo()
    await answer.ended
    expect(answer.messages().at(-1)).toMatchObject({ id: 7, result })
  })

  it("F20: sends a newer client comments, and answers its other requests meanwhile", async () => {
    const answer = await send(ground, newer("tools/call", { name: "test_silent" }))
    await expect.poll(() => signs(answer)).toBeGreaterThan(2)
    const listed = await send(ground, newer("tools/list"))
    await listed.ended
    expect(listed.messages().at(-1)?.result.tools.length).toBeGreaterThan(5)
    letGo()
    await answer.ended
    expect(answer.messages().at(-1)).toMatchObject({ id: 1, result })
  })

  it("F20: sends progress to clients that ask for it, which is what keeps them waiting", async () => {
    const requestInit = { headers: { Authorization: `Bearer ${ground.token}` } }
    for (const mode of ["legacy", { pin: "2026-07-28" }] as const) {
      const client = new Client(
        { name: "patient", version: "1.0.0" },
        { versionNegotiation: { mode } },
      )
      await client.connect(new StreamableHTTPClientTransport(new URL(ground.url), { requestInit }))
      const seen: string[] = []
      const onprogress = ({ message = "" }) => {
        if (seen.push(message) === 3) letGo()
      }
      expect(await client.callTool({ name: "test_silent" }, { onprogress })).toMatchObject(result)
      expect(seen[0]).toMatch(/^\[test_silent has been running for \d+ s\]$/)
      await client.close()
    }
  })
})

describe("with --keep, a call whose connection is cut", () => {
  let ground: HttpGround
  const second = "another-token-of-the-test"
  beforeAll(async () => {
    const few = { keepAliveMs: 60_000, keptAnswers: 2 }
    ground = await openHttpGround({
      tools: () => [silent],
      persistAnswers: true,
      token: second,
      limits: few,
    })
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  const cutOff = async (session: Awaited<ReturnType<typeof connectOlder>>, id = 7) => {
    const started = ground.events.length
    const answer = await session.post({ ...call, id })
    await expect.poll(() => ground.events.length).toBeGreaterThan(started)
    await expect.poll(answer.lastId).not.toBe("")
    answer.cut()
    await answer.ended
    return answer.lastId()
  }

  it("F20: is answered exactly once to who comes back, before or after its end, and to nobody else", async () => {
    for (const moment of ["before", "after"] as const) {
      const session = await connectOlder(ground)
      const last = await cutOff(session)
      const comeBack = { headers: { ...session.headers, "last-event-id": last } }
      const resume = () => send(ground, comeBack)
      // The server hears of the cut after this process has made it.
      const early = moment === "before" ? await untilTaken(resume) : null
      const ended = ground.events.length
      letGo()
      await expect
        .poll(() => ground.events.slice(ended).map(({ kind }) => kind))
        .toContain("call-ended")
      const answer = early ?? (await untilTaken(resume))
      await answer.ended
      expect(answer.messages()).toHaveLength(1)
      expect(answer.messages()[0]).toMatchObject({ id: 7, result })
      // Whoever saw the answer is sent nothing again.
      const again = await send(ground, {
        headers: { ...session.headers, "last-event-id": answer.lastId() },
      })
      await again.ended
      expect(again.messages()).toEqual([])
      const other = await send({ ...ground, token: second }, comeBack)
      expect(other.status).toBe(404)
      const stranger = await connectOlder(ground)
      const guess = await send(ground, {
        headers: { ...stranger.headers, "last-event-id": last },
      })
      await guess.ended
      expect(guess.messages().filter((one) => one.result?.structuredContent)).toEqual([])
    }
  })

  it("F20: leaves its answer as a resource too, of which a number is kept", async () => {
    const session = await connectOlder(ground)
    const resources = async (): Promise<{ uri: string }[]> => {
      const listed = await session.post({ id: 20, method: "resources/list" })
      await listed.ended
      return listed.messages().at(-1)?.result.resources
    }
    const newest = async () => (await resources()).at(-1)?.uri
    for (const id of [1, 2, 3]) {
      const before = await newest()
      const last = await cutOff(session, id)
      const headers = { ...session.headers, "last-event-id": last }
      const noticed = await untilTaken(() => send(ground, { headers }))
      noticed.cut()
      letGo()
      await expect.poll(newest).not.toBe(before)
    }
    await expect.poll(async () => (await resources()).length).toBe(2)
    const uri = await newest()
    const read = await session.post({ id: 21, method: "resources/read", params: { uri } })
    await read.ended
    const [content] = read.messages().at(-1)?.result.contents ?? []
    expect(JSON.parse(content.text)).toEqual({
      ok: true,
      tool: "test.silent",
      result: { text: "done" },
    })
  })

  it("F20: is answered to who comes back for as long as it is among the latest, and is told to be lost after that", async () => {
    const session = await connectOlder(ground)
    const last = await cutOff(session)
    letGo()
    const info = { method: "tools/call", params: { name: "system_info", arguments: {} } }
    const comeBack = async () => {
      const headers = { ...session.headers, "last-event-id": last }
      const answer = await untilTaken(() => send(ground, { headers }))
      await answer.ended
      return answer.messages().at(-1)
    }
    expect(await comeBack()).toMatchObject({ id: 7, result })
    for (const id of [30, 31]) await (await session.post({ ...info, id })).ended
    expect(await comeBack()).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining("no longer stored") },
    })
    for (const wrong of ["1", "bnVsbA", "W3t9XQ"]) {
      const headers = { ...session.headers, "last-event-id": wrong }
      expect((await send(ground, { headers })).status).toBe(400)
    }
  })

  it("F20: is not started again by who repeats the request, before or after its end", async () => {
    const started = () => ground.events.filter(({ kind }) => kind === "call-started").length
    const before = started()
    const session = await connectOlder(ground)
    await cutOff(session)
    // The server hears of the cut after this process has made it.
    const early = await untilTaken(() => session.post(call), 400)
    letGo()
    await early.ended
    expect(early.messages()).toMatchObject([{ id: 7, result }])
    const late = await session.post(call)
    await late.ended
    expect(late.messages()).toMatchObject([{ id: 7, result }])
    expect(started()).toBe(before + 1)
    const other = await session.post({ ...call, params: { name: "system_info", arguments: {} } })
    await other.ended
    expect(other.messages()).toMatchObject([
      { id: 7, result: { structuredContent: { tool: "system_info" } } },
    ])
  })

  it("F20: is not started again by a newer client that repeats the request once, and is by a new request", async () => {
    const request = newer("tools/call", { name: "test_silent" }, { name: "repeating" })
    const started = () => ground.events.filter(({ kind }) => kind === "call-started").length
    const before = started()
    const cut = async () => {
      const answer = await send(ground, request)
      await expect.poll(started).toBe(before + 1)
      answer.cut()
      await answer.ended
      // The cut is heard of by now, as this one has been answered since.
      await (await send(ground, newer("tools/list", {}, { name: "other" }))).ended
    }
    await cut()
    await cut()
    const again = await send(ground, request)
    letGo()
    await again.ended
    expect(again.messages()).toMatchObject([{ id: 1, result }])
    expect(started()).toBe(before + 1)
    const fresh = await send(ground, request)
    await expect.poll(started).toBe(before + 2)
    letGo()
    await fresh.ended
  })
})

/** Until the server has heard that the connection is gone, it says that there is one. */
async function untilTaken(resume: () => Promise<RawAnswer>, busy = 409): Promise<RawAnswer> {
  for (;;) {
    const answer = await resume()
    if (answer.status !== busy) return answer
  }
}

it("F20: a server that stops lets calls go on for a while and then tells them, takes no new ones, and says goodbye to who listens", async () => {
  await using ground = await openHttpGround({ tools: () => [silent], limits: { stopMs: 200 } })
  const session = await connectOlder(ground)
  const listening = await send(ground, { headers: session.headers })
  const calls = [
    await session.post(call),
    await send(ground, newer("tools/call", { name: "test_silent" })),
  ]
  await expect
    .poll(() => ground.events.filter(({ kind }) => kind === "call-started"))
    .toHaveLength(2)
  // A request that is only half sent when the server is told to stop.
  const { port } = new URL(ground.url)
  const late = connect(Number(port), "127.0.0.1")
  let answer = ""
  late.on("data", (piece) => (answer += piece))
  const body = JSON.stringify(newer("tools/list").body)
  const headers = { ...newer("tools/list").headers, Authorization: `Bearer ${ground.token}` }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  late.write(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `${lines.join("")}Content-Length: ${body.length}\r\n\r\n{`,
  )
  await (await session.post({ id: 8, method: "ping" })).ended
  const closed = ground.close()
  late.write(body.slice(1))
  await expect.poll(() => answer).toMatch(/^HTTP\/1.1 503 [\s\S]*The server is stopping\./)
  for (const one of calls) {
    await one.ended
    expect(one.isComplete()).toBe(true)
    expect(one.messages().at(-1)?.result).toMatchObject({
      isError: true,
      structuredContent: { ok: false, message: expect.stringContaining("The server was stopped") },
    })
  }
  await listening.ended
  expect(listening.isComplete()).toBe(true)
  await closed
  await expect(send(ground, newer("tools/list"))).rejects.toThrow("ECONNREFUSED")
})

it("F20: without --keep, a cut connection ends the work in the sandbox", async () => {
  await using ground = await openHttpGround({ host: "bubblewrap" })
  const session = await connectOlder(ground)
  const run = (command: string) => ({
    id: 9,
    method: "tools/call",
    params: { name: "shell_exec", arguments: { command, timeout_ms: 600_000 } },
  })
  const numbers = `sleep 4321.${process.pid}`
  const isRunning = async () => (await visibleProcesses()).includes(numbers)
  for (const start of [
    () => session.post(run(`exec ${numbers}`)),
    () => send(ground, newer("tools/call", run(`exec ${numbers}`).params)),
  ]) {
    const answer = await start()
    await expect.poll(isRunning).toBe(true)
    answer.cut()
    await expect.poll(isRunning).toBe(false)
  }
})
