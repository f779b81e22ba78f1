import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { type ApiError, createClient } from "../../src/api/index.ts"
import { createQuestions, serveApi } from "../../src/http/index.ts"
import { httpLimits } from "../../src/http/limits.ts"
import { createPreviewHub } from "../../src/sandbox/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { openRecord } from "../../src/store/index.ts"
import { manualClock } from "../support/manual-clock.ts"

/** A server whose time passes when a test says so. */
async function serve() {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-access-"))
  const clock = manualClock()
  const store = await openRecord({ file: join(home, "record.sqlite") })
  const keep = await openToolkeep({ host: "memory", home, record: store })
  const server = await serveApi(keep, {
    ...{ store, home, questions: createQuestions({ store, clock }), clock },
    ...{ previewHub: createPreviewHub(), port: 0, console: false },
  })
  onTestFinished(async () => {
    await server.close()
    await keep.close()
    await store.close()
    rmSync(home, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${server.port}`
  const clientOf = (token?: string) => createClient({ url, ...(token !== undefined && { token }) })
  return { clock, url, token: server.token, clientOf, owner: clientOf(server.token) }
}

const statusOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 200,
    ({ status }: ApiError) => status,
  )

it("C18: a token, a code and a stream end when their time is over", async () => {
  const { clock, owner, clientOf } = await serve()
  const minute = 60_000
  const made = { name: "for an hour", kind: "read", expires_after_ms: 60 * minute } as const
  const { secret } = await owner.request("tokens.create", made)
  const reader = clientOf(secret)
  expect(await statusOf(reader.request("sessions.list", {}))).toBe(200)
  const followed: string[] = []
  const over = (async () => {
    for await (const { event } of reader.watch("sessions.watch", {})) followed.push(event)
  })()
  const early = await owner.request("codes.create", {})
  const late = await owner.request("codes.create", {})
  clock.advance(httpLimits.codeMs - 1)
  const { secret: device } = await clientOf().request("codes.redeem", { code: early.code })
  expect(await statusOf(clientOf(device).request("sessions.list", {}))).toBe(200)
  clock.advance(1)
  expect(await statusOf(clientOf().request("codes.redeem", { code: late.code }))).toBe(403)
  clock.advance(49 * minute)
  expect(await statusOf(reader.request("sessions.list", {}))).toBe(200)
  clock.advance(minute)
  expect(await statusOf(reader.request("sessions.list", {}))).toBe(401)
  // The stream looks with its next heartbeat, and is refused when it is opened again.
  clock.advance(httpLimits.heartbeatMs)
  await expect(over).rejects.toMatchObject({ status: 401 })
  const { tokens } = await owner.request("tokens.list", {})
  expect(tokens.map(({ name }) => name)).not.toContain("for an hour")
})

it("F20: a token that asks too often is slowed down, and the others are not", async () => {
  const { url, owner, token } = await serve()
  const { secret } = await owner.request("tokens.create", { name: "busy", kind: "read" })
  const ask = async (bearer: string) =>
    (await fetch(`${url}/api/sessions`, { headers: { Authorization: `Bearer ${bearer}` } })).status
  // Without waiting for answers, as fast as the server reads: each is refused for what it asks, until for how often.
  const line = `GET /api/sessions?none=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${secret}\r\n\r\n`
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  let answered = ""
  const flood = () => void socket.write(line.repeat(500))
  flood()
  for await (const bytes of socket) {
    answered = (answered + bytes).slice(-100_000)
    if (answered.includes("HTTP/1.1 503")) break
    flood()
  }
  expect(answered).toContain("HTTP/1.1 400")
  expect(await ask(token)).toBe(200)
  await expect.poll(() => ask(secret)).toBe(200)
})

it("F20: a token has so many streams and no more, and leaves some to the others", async () => {
  const { url, owner, token } = await serve()
  const { secret } = await owner.request("tokens.create", { name: "many", kind: "read" })
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  // An answer that nobody holds is collected, and its stream ends with it.
  const answers: Response[] = []
  const open = async (bearer: string) => {
    const headers = { Authorization: `Bearer ${bearer}` }
    const { signal } = ended
    const answer = await fetch(`${url}/api/events`, { headers, signal })
    answers.push(answer)
    return answer.status
  }
  const count = httpLimits.streamsOfToken + 10
  const opened = await Promise.all(Array.from({ length: count }, () => open(secret)))
  expect(opened.filter((status) => status === 200)).toHaveLength(httpLimits.streamsOfToken)
  expect(opened.filter((status) => status === 503)).toHaveLength(10)
  expect(await open(token)).toBe(200)
  expect(answers).toHaveLength(count + 1)
})
