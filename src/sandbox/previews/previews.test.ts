import { once } from "node:events"
import { Agent as KeepAlive } from "node:http"
import { connect } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Agent, WebSocket } from "undici"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPool, type PoolFixture } from "../../../test/support/sandbox/pool-fixture.ts"
import {
  ask,
  get,
  read,
  responseOf,
  startServerInside,
} from "../../../test/support/sandbox/preview-fixture.ts"
import { previewLimits } from "../limits.ts"
import { createPreviews, type Previews } from "./create-previews.ts"

const mebibyte = 1024 * 1024

let fixture: PoolFixture
let previews: Previews
let page: string
beforeAll(async () => {
  fixture = openPool()
  await startServerInside(await fixture.pool.workspace("web"))
  previews = await createPreviews({ session: "demo", sandboxes: fixture.pool })
  page = await previews.url({ sandbox: "web", port: 8000 })
}, 120_000)
afterAll(async () => {
  await previews.close()
  await fixture[Symbol.asyncDispose]()
})

/** Browsers know that `*.localhost` is this machine. */
const dispatcher = new Agent({
  connect: { lookup: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]) },
})

function openSocket(path: string, headers: Readonly<Record<string, string>> = {}): WebSocket {
  return new WebSocket(`${page.replace("http:", "ws:")}${path}`, { dispatcher, headers })
}

/** What this process still holds when it has let go of what nobody needs. */
/** The least of a few looks: buffers that were let go are swept by a thread of the engine's own. */
async function heldBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < 5; look += 1) {
    collectGarbage()
    await new Promise((resume) => setTimeout(resume, 20))
    const { arrayBuffers, heapUsed } = process.memoryUsage()
    least = Math.min(least, arrayBuffers + heapUsed)
  }
  return least
}

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

function* pieces(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(65_536, "y")
  for (let left = bytes; left > 0; left -= piece.length) {
    yield piece.subarray(0, Math.min(left, piece.length))
  }
}

describe("what passes through a preview", () => {
  it("C6: a page of a server inside, asked for by the preview's own name", async () => {
    expect(page).toMatch(/^http:\/\/8000-web-demo\.localhost:\d+\/$/)
    expect(await get(page)).toMatchObject({ status: 200, text: "<h1>Open</h1>" })
    const headers = { "X-Mine": "1", Connection: "X-Drop, close", "X-Drop": "1", TE: "trailers" }
    const seen = JSON.parse((await get(`${page}seen?a=%20b&c`, { headers })).text)
    expect(seen).toMatchObject({ method: "GET", url: "/seen?a=%20b&c" })
    expect(seen.headers).toEqual({
      host: new URL(page).host,
      "x-mine": "1",
      connection: "close",
    })
  })

  it("C6: bodies of either framing, every kind of answer without one, and all headers but a hop's", async () => {
    const text = "ä".repeat(70_000)
    const known = ask(`${page}echo`, { method: "POST", headers: { "Content-Length": "140000" } })
    expect((await read(known.end(text))).text).toBe(text)
    const chunked = ask(`${page}echo`, { method: "PUT" })
    chunked.write("one ")
    expect((await read(chunked.end("two"))).text).toBe("one two")
    expect(await get(page, { method: "HEAD" })).toMatchObject({ status: 200, text: "" })
    expect(await get(`${page}nothing`)).toMatchObject({ status: 204, text: "" })
    expect(await get(`${page}unchanged`)).toMatchObject({ status: 304, headers: { etag: '"1"' } })
    expect(await get(`${page}missing`)).toMatchObject({ status: 404, text: "no such page" })
    const { headers } = await get(`${page}cookies`)
    expect(headers["set-cookie"]).toEqual(["a=1", "b=2"])
    expect(headers).not.toHaveProperty("x-hop")
    expect(headers["keep-alive"]).not.toBe("timeout=99")
  })

  it("C6: one connection of a browser's carries many requests", async () => {
    const agent = new KeepAlive({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    for (let index = 0; index < 3; index += 1) {
      const asked = ask(page, { agent }).once("socket", (socket) => ports.add(socket.localPort))
      expect((await read(asked.end())).status).toBe(200)
      ports.add(asked.socket?.localPort)
    }
    agent.destroy()
    expect([...ports].filter((port) => port !== undefined)).toHaveLength(1)
  })

  it("C6: events as they happen", async () => {
    const response = await responseOf(ask(`${page}events`).end())
    const events = response.setEncoding("utf8")[Symbol.asyncIterator]()
    expect((await events.next()).value).toBe("data: one\n\n")
    await get(`${page}next`)
    expect((await events.next()).value).toBe("data: two\n\n")
    expect((await events.next()).done).toBe(true)
  })

  it("C6: a WebSocket, in both directions and of any size", async () => {
    const socket = openSocket("chat")
    socket.binaryType = "arraybuffer"
    await once(socket, "open")
    for (const text of ["hello", "ä".repeat(50_000), "z".repeat(300_000)]) {
      socket.send(text)
      const [{ data }] = await once(socket, "message")
      expect(data === text).toBe(true)
    }
    socket.close()
    await once(socket, "close")
    const refused = openSocket("refused")
    const [problem] = await once(refused, "error")
    expect(String(problem.error ?? problem.message)).toMatch(/./)
    const headers = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Key": "x" }
    expect(await get(`${page}refused`, { headers })).toMatchObject({ status: 401, text: "no" })
  })

  it("C6: an offer of another protocol is declined by an ordinary answer", async () => {
    const headers = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "A" }
    expect(await get(page, { headers })).toMatchObject({ status: 200, text: "<h1>Open</h1>" })
    const asked = ask(`${page}echo`, {
      method: "POST",
      headers: { Connection: "Upgrade", Upgrade: "h2c", "Content-Length": "2" },
    })
    expect(await read(asked.end("hi"))).toMatchObject({ status: 501 })
  })

  it("C6: large bodies each way, of which only a little is ever in memory", async () => {
    const before = await heldBytes()
    let most = 0
    const look = async () => {
      most = Math.max(most, (await heldBytes()) - before)
    }
    const [sent, wanted] = [20 * mebibyte, 100 * mebibyte]
    const asked = ask(`${page}count`, { method: "POST" })
    for (const piece of pieces(sent)) if (!asked.write(piece)) await once(asked, "drain")
    await look()
    expect((await read(asked.end())).text).toBe(String(sent))
    const response = await responseOf(ask(`${page}big?bytes=${wanted}`).end())
    let received = 0
    for await (const chunk of response) {
      if (received % (25 * mebibyte) > (received + chunk.length) % (25 * mebibyte)) await look()
      received += chunk.length
    }
    expect(received).toBe(wanted)
    expect(most).toBeLessThan(16 * mebibyte)
  }, 120_000)

  it("C6: who does not read makes the server inside wait", async () => {
    const response = await responseOf(ask(`${page}big?bytes=${1024 * mebibyte}`).end())
    let before = -1
    let sent = 0
    while (sent !== before) {
      before = sent
      await new Promise((resume) => setTimeout(resume, 300))
      sent = Number((await get(`${page}sent`)).text)
    }
    response.destroy()
    // The kernel holds up to 36 MiB of each of the two connections on its way.
    expect(sent).toBeLessThan(100 * mebibyte)
  }, 120_000)

  it("C6: a server inside that does not read makes the browser wait", async () => {
    const asked = ask(await previews.url({ sandbox: "web", port: 8004 }), { method: "POST" })
    asked.on("error", () => {})
    let written = 0
    for (const piece of pieces(1024 * mebibyte)) {
      written += piece.length
      if (asked.write(piece)) continue
      const silence = new Promise((resume) => setTimeout(resume, 1_000, "silence"))
      if ((await Promise.race([once(asked, "drain"), silence])) === "silence") break
    }
    asked.destroy()
    expect(written).toBeLessThan(100 * mebibyte)
  }, 120_000)
})

describe("what does not pass through a preview", () => {
  const refusal = (url: string, headers: Readonly<Record<string, string>>, method = "GET") =>
    get(url, { headers, method }).then(({ status, text }) => [status, text.trim()])

  it("C6: a name that was not given out, whoever leads it to this machine", async () => {
    const answer = [404, "There is no preview with this name."]
    const { port } = new URL(page)
    const names = [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      "evil.example",
      "9000-web-demo.localhost",
    ]
    for (const Host of names) expect(await refusal(page, { Host })).toEqual(answer)
    const raw = connect(Number(port), "127.0.0.1")
    raw.write(`GET / HTTP/1.1\r\nHost: ${new URL(page).host}\r\nHost: evil.example\r\n\r\n`)
    const [first] = await once(raw, "data")
    expect(String(first)).toMatch(/^HTTP\/1\.1 4\d\d /)
    raw.destroy()
    expect(previews.knows(new URL(page).host)).toBe(true)
    expect(previews.knows("evil.example")).toBe(false)
    expect(previews.knows(undefined)).toBe(false)
  })

  it("C6: what another site asks for in a person's browser, but for following a link", async () => {
    const cross = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors" }
    const link = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" }
    const answer = [403, "This preview answers only its own pages, and another site asked."]
    expect(await refusal(page, cross)).toEqual(answer)
    expect(await refusal(page, { ...cross, "Sec-Fetch-Site": "same-site" })).toEqual(answer)
    expect(await refusal(`${page}echo`, link, "POST")).toEqual(answer)
    expect(await refusal(page, { Origin: "http://evil.example" })).toEqual(answer)
    expect(await refusal(page, { Origin: "null" })).toEqual(answer)
    const handshake = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Key": "x" }
    expect(await refusal(page, { ...handshake, Origin: "http://evil.example" })).toEqual(answer)
    expect(await refusal(page, { ...handshake, ...link })).toEqual(answer)
    expect((await get(page, { headers: link })).status).toBe(200)
    const own = { ...cross, "Sec-Fetch-Site": "same-origin" }
    expect((await get(page, { headers: own })).status).toBe(200)
  })

  it("C6: pages of the same sandbox may ask each other, those of another sandbox may not", async () => {
    const sibling = (await previews.url({ sandbox: "web", port: 5173 })).slice(0, -1)
    const stranger = (await previews.url({ sandbox: "other", port: 8000 })).slice(0, -1)
    const cross = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors" }
    expect((await get(page, { headers: { ...cross, Origin: sibling } })).status).toBe(200)
    expect((await get(page, { headers: { ...cross, Origin: stranger } })).status).toBe(403)
    const elsewhere = sibling.replace(/:\d+$/, ":9")
    expect((await get(page, { headers: { ...cross, Origin: elsewhere } })).status).toBe(403)
  })

  it("C6: an address in place of a path, and an encoding that nobody understands", async () => {
    const { host } = new URL(page)
    expect((await get(page, { path: `http://${host}/` })).status).toBe(400)
    const headers = { "Transfer-Encoding": "gzip, chunked" }
    expect((await get(`${page}echo`, { method: "POST", headers })).status).toBe(400)
  })
})

describe("a preview of a server that fails", () => {
  it("C6: nobody listens, no HTTP, headers without an end: one sentence each", async () => {
    const at = (port: number) => previews.url({ sandbox: "web", port })
    expect(await get(await at(9))).toMatchObject({
      status: 502,
      text: "Nothing listens on port 9 in the sandbox.\n",
    })
    const sentence = expect.stringMatching(/^The server inside did not answer: [^\n]+\.\n$/)
    expect(await get(await at(8001))).toMatchObject({ status: 502, text: sentence })
    expect(await get(await at(8002))).toMatchObject({ status: 502, text: sentence })
  })

  it("C6: an answer that is cut short is cut short for the browser as well", async () => {
    await expect(get(`${page}cut`)).rejects.toThrow(/aborted|hang up/)
  })

  it("C6: an answer that comes before the whole body was read is passed on", async () => {
    const asked = ask(`${page}enough`, { method: "POST" })
    const answer = read(asked)
    const upload = (async () => {
      for (const piece of pieces(20 * mebibyte)) {
        if (asked.destroyed) return
        if (!asked.write(piece)) await Promise.race([once(asked, "drain"), answer])
      }
      asked.end()
    })().catch(() => {})
    expect(await answer).toMatchObject({ status: 413, text: "too much" })
    asked.destroy()
    await upload
  })

  it("C6: only so many connections are open at once, and those that end make room", async () => {
    const silent = await previews.url({ sandbox: "web", port: 8003 })
    const waiting = Array.from({ length: previewLimits.connections }, () => ask(silent))
    for (const one of waiting) one.on("error", () => {}).end()
    await expect.poll(async () => (await get(page)).status).toBe(502)
    for (const one of waiting) one.destroy()
    await expect.poll(async () => (await get(page)).status).toBe(200)
  }, 120_000)
})

describe("a preview and the life of its sandbox", () => {
  it("C6, C18: a sandbox that sleeps is woken; one that was destroyed is not made again", async () => {
    await using own = openPool()
    const { pool } = own
    await (await pool.workspace("web")).exec("true")
    const shown = await createPreviews({ session: "life", sandboxes: pool })
    const url = await shown.url({ sandbox: "web", port: 8000 })
    await pool.sleep("web")
    expect(await get(url)).toMatchObject({ status: 502, text: /^Nothing listens on port 8000/ })
    expect(pool.list()).toMatchObject([{ name: "web", status: "running" }])
    await pool.destroySandbox("web")
    expect(await get(url)).toMatchObject({
      status: 502,
      text: 'There is no sandbox "web" any more.\n',
    })
    expect(pool.list()).toEqual([])
    await shown.close()
    await expect(get(url)).rejects.toThrow(/ECONNREFUSED/)
    await expect(shown.url({ sandbox: "web", port: 1 })).rejects.toThrow("The session is closed.")
  }, 120_000)

  it("C6: what is open when its sandbox goes to sleep or the previews close, ends", async () => {
    const shown = await createPreviews({ session: "end", sandboxes: fixture.pool })
    const url = await shown.url({ sandbox: "web", port: 8003 })
    const waiting = get(url)
    const silent = waiting.catch((error: Error) => error)
    await new Promise((resume) => setTimeout(resume, 200))
    await shown.close()
    expect(await silent).toBeInstanceOf(Error)
    const slept = get(await previews.url({ sandbox: "web", port: 8003 }))
    const ended = slept.catch((error: Error) => error)
    await new Promise((resume) => setTimeout(resume, 200))
    await fixture.pool.sleep("web")
    expect(await ended).toMatchObject({ status: 502 })
  }, 120_000)
})
