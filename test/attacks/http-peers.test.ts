import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { localHost } from "../../src/sandbox/hosts/local/local-host.ts"
import { createEgressGuard } from "../../src/sandbox/index.ts"
import { networkLimits, previewLimits } from "../../src/sandbox/limits.ts"
import { createPool } from "../../src/sandbox/pool/create-pool.ts"
import { createPreviews } from "../../src/sandbox/previews/create-previews.ts"
import {
  type HostileServer,
  openHostileServer,
  visit,
  watchEscapes,
} from "../fuzz/http/hostile-ground.ts"
import { publicAddress } from "../support/sandbox/stand-in-fixture.ts"

let server: HostileServer
let watch: ReturnType<typeof watchEscapes>
beforeAll(async () => {
  watch = watchEscapes()
  server = await openHostileServer()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  watch[Symbol.dispose]()
})

interface Way {
  /** What comes back for these bytes, when the server behind answers with those; it is silent without any. */
  ask(request: string, answer: string | null): Promise<string>
  readonly plain: string
  readonly port: number
}
const ends: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of ends) await end()
})

function wayTo(port: number, head: string): Way {
  return {
    port,
    plain: `GET ${head}\r\nConnection: close\r\n\r\n`,
    ask(request, answer) {
      const pieces = answer === null ? [] : [Buffer.from(answer, "latin1")]
      server.setScripts(() => ({ pieces, ending: answer === null ? "stay" : "end" }))
      const said = { pieces: [Buffer.from(request, "latin1")], ending: "stay" } as const
      return visit(connect({ host: "127.0.0.1", port }), said)
    },
  }
}

async function openProxy(): Promise<Way> {
  const dialer = {
    lookup: async () => [publicAddress],
    connect: () => connect({ host: "127.0.0.1", port: server.port, allowHalfOpen: true }),
    ownAddresses: () => [],
  }
  const proxy = await createEgressGuard({}, dialer).openProxy()
  ends.push(() => proxy.close())
  return wayTo(proxy.port, "http://a.example/ HTTP/1.1\r\nHost: a.example")
}

async function openPreview(): Promise<Way> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-peers-"))
  const pool = createPool(localHost({ directoryFor: (name) => join(directory, name) }))
  await pool.workspace("web")
  const previews = await createPreviews({ session: "peers", sandboxes: pool })
  const page = new URL(await previews.url({ sandbox: "web", port: server.port }))
  ends.push(
    () => previews.close(),
    () => pool.destroy(),
    () => rm(directory, { recursive: true, force: true }),
  )
  return wayTo(Number(page.port), `/ HTTP/1.1\r\nHost: ${page.host}`)
}

describe.each([
  ["a proxy", openProxy],
  ["a preview", openPreview],
])("a hostile server behind %s", (_name, open) => {
  let way: Way
  beforeAll(async () => {
    way = await open()
  })
  const body = "Content-Length: 2\r\n\r\nhi"

  it.each(["000", "001", "099", "101", "600", "999"])(
    "C6, C18: answers with the status %s, and 502 is what is heard of it",
    async (status) => {
      const heard = await way.ask(way.plain, `HTTP/1.1 ${status} x\r\n${body}`)
      expect(heard).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
      expect(watch.escaped).toEqual([])
    },
  )

  it("C6, C18: changes the protocol unasked, and 502 is what is heard of it", async () => {
    const upgrade = "HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nmore"
    expect(await way.ask(way.plain, upgrade)).toMatch(/^HTTP\/1\.1 502 .*another protocol/s)
    expect(watch.escaped).toEqual([])
  })

  it.each(["\u0000", "\u0001", "a\u0008b", "\u001b[2J", "\u007f", "\u0085", "\u00ff"])(
    "C6, C18: writes a control character into the reason (%j), and the usual one is passed on",
    async (reason) => {
      const heard = await way.ask(way.plain, `HTTP/1.1 404 ${reason}\r\n${body}`)
      expect(heard).toMatch(/^HTTP\/1\.1 (404 Not Found\r\n.*hi|502 Bad Gateway\r\n.*)$/s)
      expect(watch.escaped).toEqual([])
    },
  )

  it("C6, C18: names its headers as what every object has", async () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"]
    const lines = names.map((name) => `${name}: 1\r\n${name}: 2\r\n`).join("")
    const heard = await way.ask(way.plain, `HTTP/1.1 200 OK\r\n${lines}${body}`)
    expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n.*hi$/s)
    for (const name of names) expect(heard.toLowerCase()).toContain(`${name.toLowerCase()}: 2`)
    const asked = way.plain.replace("Connection", `${lines}Connection`)
    expect(await way.ask(asked, `HTTP/1.1 200 OK\r\n${body}`)).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(watch.escaped).toEqual([])
  })

  it("C6, C18: sends interim answers for ever, and is heard no further", async () => {
    const interim = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    const few = `${interim.repeat(3)}HTTP/1.1 200 OK\r\n${body}`
    expect(await way.ask(way.plain, few)).toMatch(/^HTTP\/1\.1 200 OK/)
    const many = interim.repeat(networkLimits.interimAnswers + 1)
    expect(await way.ask(way.plain, `${many}HTTP/1.1 200 OK\r\n${body}`)).toMatch(
      /^HTTP\/1\.1 502 .*too many interim answers/s,
    )
  })

  it("C6, C18: is asked for more connections by one client than there may be", async () => {
    const { port, plain } = way
    server.setScripts(() => ({ pieces: [], ending: "stay" }))
    const most = Math.max(networkLimits.connections, previewLimits.connections)
    const client = connect({ host: "127.0.0.1", port }).on("error", () => {})
    client.write(plain.replace("Connection: close\r\n", "").repeat(most * 2))
    await expect.poll(() => server.open.size).toBeGreaterThan(0)
    let before = -1
    while (server.open.size !== before) {
      before = server.open.size
      await new Promise((resume) => setTimeout(resume, 300))
    }
    expect(before).toBeLessThanOrEqual(most)
    client.destroy()
    await expect.poll(() => server.open.size).toBe(0)
    expect(await way.ask(plain, `HTTP/1.1 200 OK\r\n${body}`)).toMatch(/^HTTP\/1\.1 200 OK/)
  })
})

describe("a WebSocket through a preview", () => {
  let way: Way
  let handshake: string
  beforeAll(async () => {
    way = await openPreview()
    handshake = way.plain.replace("Connection: close", "Connection: Upgrade\r\nUpgrade: websocket")
  })

  it("C6: is agreed to with a head that can be written, and its bytes follow as they are", async () => {
    const offer = "Upgrade: websocket\r\nConnection: Upgrade"
    const agreed = `HTTP/1.1 101 \u0001\r\n${offer}\r\nX-Name: \u00e4\r\n\r\n\u0000\u00ff`
    const heard = await way.ask(handshake, agreed)
    expect(heard).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
    expect(heard).toContain("x-name: \u00e4\r\n")
    expect(heard.endsWith("\r\n\r\n\u0000\u00ff")).toBe(true)
    const other = agreed.replace("websocket", "h2c")
    expect(await way.ask(handshake, other)).toMatch(/^HTTP\/1\.1 502 .*another protocol/s)
    expect(watch.escaped).toEqual([])
  })

  it("C6: is asked for behind a request that waits for its answer: the connection ends, and nothing else", async () => {
    const waiting = way.plain.replace("Connection: close\r\n", "")
    expect(await way.ask(waiting + handshake, null)).toBe("")
    expect(watch.escaped).toEqual([])
    expect(await way.ask(way.plain, "HTTP/1.1 200 OK\r\n\r\nhi")).toMatch(/^HTTP\/1\.1 200 OK/)
  })

  it("C6: is waited for by a browser that sends and leaves, which frees its connection", async () => {
    server.setScripts(() => ({ pieces: [], ending: "stay" }))
    const clients = Array.from({ length: 5 }, () => {
      const client = connect({ host: "127.0.0.1", port: way.port }).on("error", () => {})
      client.write(`${handshake}more`)
      return client
    })
    await expect.poll(() => server.open.size).toBe(5)
    for (const client of clients) client.end("even more")
    await expect.poll(() => server.open.size).toBe(0)
  })
})
