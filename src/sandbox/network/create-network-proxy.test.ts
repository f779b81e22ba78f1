import { mkdtemp, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect as connectSecure } from "node:tls"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  openStandIn,
  publicAddress,
  type StandIn,
} from "../../../test/support/sandbox/stand-in-fixture.ts"
import { systemClock } from "../../kit/index.ts"
import { networkLimits } from "../limits.ts"
import { createNetworkProxy, type NetworkProxy } from "./create-network-proxy.ts"
import type { NetworkDecision } from "./decide-target.ts"
import { parseDomainRules } from "./domain-rule.ts"

let standIn: StandIn
let proxy: NetworkProxy
let directory: string
let path: string
let onDecision: (decision: NetworkDecision) => void
const sockets: Socket[] = []

beforeEach(async () => {
  standIn = await openStandIn()
  directory = await mkdtemp(join(tmpdir(), "toolkeep-proxy-"))
  path = join(directory, "proxy")
  onDecision = (decision) => standIn.decisions.push(decision)
  proxy = createNetworkProxy({
    rules: parseDomainRules(["allowed.example", "*.allowed.example", "8.8.4.4"]),
    dialer: standIn.dialer,
    clock: systemClock,
    onDecision: (decision) => onDecision(decision),
  })
  await proxy.listen({ path })
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await proxy.close()
  await standIn[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

function dial(): Socket {
  const socket = connect(path).on("error", () => {})
  sockets.push(socket)
  return socket
}

/** All that comes back on a connection of its own, until it is closed. */
async function say(text: string): Promise<string> {
  const socket = dial()
  socket.write(text, "latin1")
  let heard = ""
  for await (const part of socket.setEncoding("latin1")) heard += part
  return heard
}

/** The answer to CONNECT, with a socket that goes on. */
async function tunnel(target: string): Promise<{ status: string; socket: Socket }> {
  const socket = dial()
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  const status = await new Promise<string>((resolve) => {
    socket.once("data", (bytes) => resolve(bytes.toString("latin1")))
  })
  return { status, socket }
}

const get = (url: string, headers: readonly string[] = []) =>
  say(`GET ${url} HTTP/1.1\r\n${[...headers, "Connection: close"].join("\r\n")}\r\n\r\n`)

const hostHeader = "Host: allowed.example"
const last = () => standIn.decisions.at(-1)

describe("a proxy", () => {
  it("C18: passes an allowed request on to the checked address, and reports the rule", async () => {
    const answer = await get("http://Allowed.Example/page?q=1#part", [
      ...[hostHeader, "Proxy-Authorization: secret", "Proxy-Connection: x", "X-Own: 1"],
      ...["TE: trailers", "X-Dropped: 1", "Connection: X-Dropped", "Cookie: c=d"],
    ])
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toContain("GET allowed.example /page?q=1 \n")
    expect(answer.match(/set-cookie: \w=\d/gi)).toHaveLength(2)
    expect(standIn.reached).toEqual([`${publicAddress}:80`])
    const { headers = {} } = standIn.asked[0]?.message ?? {}
    expect(headers).toEqual({
      ...{ host: "allowed.example", connection: "close", "x-own": "1", cookie: "c=d" },
    })
    expect(standIn.decisions).toEqual([
      { target: "allowed.example", port: 80, allowed: true, rule: "allowed.example" },
    ])
  })

  it("C18: passes bodies on, with a length and in chunks", async () => {
    const start = `POST http://allowed.example/ HTTP/1.1\r\n${hostHeader}\r\nConnection: close\r\n`
    expect(await say(`${start}Content-Length: 4\r\n\r\nbody`)).toContain("/ body\n")
    const chunked = `${start}Transfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n`
    expect(await say(chunked)).toContain("/ body\n")
    expect(await say(chunked.replace("POST", "GET"))).toContain("/ body\n")
    expect(await say(`${start}\r\n`)).toContain("POST allowed.example /")
  })

  it("C18: a tunnel carries TLS to the checked address, and the rules of a star apply", async () => {
    standIn.names.set("a.allowed.example", [publicAddress])
    const { status, socket } = await tunnel("a.allowed.example:443")
    expect(status).toBe("HTTP/1.1 200 Connection Established\r\n\r\n")
    const secure = connectSecure({ socket, rejectUnauthorized: false })
    secure.end("GET /x HTTP/1.1\r\nHost: a.allowed.example\r\nConnection: close\r\n\r\n")
    let heard = ""
    for await (const part of secure.setEncoding("latin1")) heard += part
    expect(heard).toContain("GET a.allowed.example /x")
    expect(standIn.reached).toEqual([`${publicAddress}:443`])
    expect(last()).toMatchObject({ allowed: true, rule: "*.allowed.example", port: 443 })
  })

  it("C18: refuses what no rule matches with 403 and a sentence that says so", async () => {
    const answer = await get("http://other.example/", ["Host: other.example"])
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    const sentence =
      "The sandbox's network refuses other.example:80: nothing on the allow-list matches.\n"
    expect(answer.endsWith(`\r\n\r\n${sentence}`)).toBe(true)
    const { status } = await tunnel("other.example:443")
    expect(status).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(status).toContain("refuses other.example:443: nothing on the allow-list matches.")
    const rule = "nothing on the allow-list matches"
    expect(standIn.decisions).toEqual([
      { target: "other.example", port: 80, allowed: false, rule },
      { target: "other.example", port: 443, allowed: false, rule },
    ])
    expect(standIn.reached).toEqual([])
  })

  it.each([
    ...["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1"],
    ...["64:ff9b::a00:1", "168.63.129.16", "8.8.4.4"],
  ])("C18: refuses a name that leads to %s, also beside a public address", async (address) => {
    standIn.names.set("allowed.example", [address])
    expect((await tunnel("allowed.example:443")).status).toMatch(/^HTTP\/1\.1 403 /)
    standIn.names.set("allowed.example", [publicAddress, address])
    expect((await tunnel("allowed.example:443")).status).toContain(`it leads to ${address}, a`)
    expect(last()).toMatchObject({ allowed: false, rule: expect.stringContaining(address) })
    expect(standIn.reached).toEqual([])
  })

  it("C18: every error denies: no such name, no address, nonsense, a listener that fails", async () => {
    const answers: [string, readonly string[]][] = [
      ["the name has no address", []],
      ["the name could not be looked up", ["nonsense"]],
    ]
    for (const [rule, addresses] of answers) {
      standIn.names.set("allowed.example", addresses)
      expect((await tunnel("allowed.example:443")).status).toContain(rule)
    }
    standIn.names.delete("allowed.example")
    expect((await tunnel("allowed.example:443")).status).toContain("could not be looked up")
    standIn.names.set("allowed.example", [publicAddress])
    onDecision = () => {
      throw new Error("The record is full.")
    }
    expect((await tunnel("allowed.example:443")).status).toContain("could not be recorded")
    expect(standIn.reached).toEqual([])
  })

  it("C18: names are looked up once for each connection, which goes to what was checked", async () => {
    standIn.names.set("allowed.example", { inTurn: [[publicAddress], ["127.0.0.1"]] })
    expect(await get("http://allowed.example/", [hostHeader])).toContain("200 OK")
    expect(await get("http://allowed.example/", [hostHeader])).toContain("403 Forbidden")
    expect(standIn.reached).toEqual([`${publicAddress}:80`])
  })

  it("C18: refuses a request whose Host header names another place", async () => {
    const others = [
      "evil.net",
      "allowed.example:8080",
      "allowed.example, evil.net",
      "x@allowed.example",
    ]
    for (const host of others) {
      expect(await get("http://allowed.example/", [`Host: ${host}`])).toContain("403 Forbidden")
    }
    const two = ["Host: allowed.example", "Host: evil.net"]
    expect(await get("http://allowed.example/", two)).toContain("403 Forbidden")
    expect(await get("http://allowed.example/", [])).toContain("400 Bad Request")
    expect(standIn.reached).toEqual([])
  })

  it("C18: refuses what is no http:// address and no host with a port", async () => {
    const addresses = [
      ...["/", "https://allowed.example/", "ftp://allowed.example/", "http://", "http:///x", "*"],
      ...[
        "http://user@allowed.example/",
        "http://allowed.example\\@evil.net/",
        "http:allowed.example",
      ],
    ]
    for (const address of addresses) {
      expect(await get(address, [hostHeader]), address).toMatch(/^HTTP\/1\.1 40[03] /)
    }
    for (const target of ["allowed.example", "allowed.example:x", "a@allowed.example:443", "/"]) {
      expect((await tunnel(target)).status, target).toMatch(/^HTTP\/1\.1 40[03] /)
    }
    expect(standIn.reached).toEqual([])
  })

  it("C18: what could be read as two requests is refused or passed on as one", async () => {
    const inner = "GET /smuggled HTTP/1.1\r\nHost: allowed.example\r\n\r\n"
    const start = `POST http://allowed.example/ HTTP/1.1\r\n${hostHeader}\r\nConnection: close\r\n`
    const attempts = [
      `Content-Length: ${inner.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
      `Content-Length: 5\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
      `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner}`,
      `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`,
      `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`,
      `Content-Length: +5\r\n\r\n${inner}`,
      `X: 1\nContent-Length: 5\r\n\r\n${inner}`,
    ]
    for (const attempt of attempts) {
      expect(await say(start + attempt), attempt).toMatch(/^HTTP\/1\.1 40[03] /)
    }
    expect(standIn.asked).toEqual([])
    // Without a length there is no body, so what follows is a request of its own: in no proxy's form.
    await say(`${start.replace("close", "keep-alive")}\r\n${inner}`)
    expect(standIn.asked.map(({ message, body }) => [message.url, body])).toEqual([["/", ""]])
  })

  it("C18: ends tunnels and requests that new rules do not allow, and leaves the others", async () => {
    standIn.names.set("a.allowed.example", [publicAddress])
    const kept = await tunnel("allowed.example:443")
    const lost = await tunnel("a.allowed.example:443")
    const request = dial()
    request.write("GET http://a.allowed.example/slow HTTP/1.1\r\nHost: a.allowed.example\r\n\r\n")
    await new Promise((resolve) => request.once("data", resolve))
    const ended = [lost.socket, request].map(
      (socket) => new Promise((resolve) => socket.resume().once("close", resolve)),
    )
    proxy.setRules(parseDomainRules(["allowed.example"]))
    await Promise.all(ended)
    expect(kept.socket.destroyed).toBe(false)
    expect((await tunnel("a.allowed.example:443")).status).toContain("403")
    const closed = new Promise((resolve) => kept.socket.resume().once("close", resolve))
    await proxy.close()
    await closed
  })

  it("Y14: with credentials, answers only who knows them", async () => {
    await proxy.close()
    const credentials = { username: "toolkeep", password: "secret" }
    proxy = createNetworkProxy({
      rules: parseDomainRules(["allowed.example"]),
      dialer: standIn.dialer,
      clock: systemClock,
      onDecision: () => {},
      credentials,
    })
    await proxy.listen({ path })
    const header = (text: string) =>
      `Proxy-Authorization: Basic ${Buffer.from(text).toString("base64")}`
    for (const others of [[], [header("toolkeep:other")], ["Proxy-Authorization: Basic"]]) {
      const answer = await get("http://allowed.example/", [hostHeader, ...others])
      expect(answer).toMatch(/^HTTP\/1\.1 407 .*Proxy-Authenticate: Basic/s)
    }
    expect((await tunnel("allowed.example:443")).status).toMatch(/^HTTP\/1\.1 407 /)
    expect(standIn.reached).toEqual([])
    const answer = await get("http://allowed.example/", [hostHeader, header("toolkeep:secret")])
    expect(answer).toContain("200 OK")
    expect(standIn.asked[0]?.message.headers).not.toHaveProperty("proxy-authorization")
  })

  it("C18: has limits: connections at once, and the size of headers", async () => {
    const held = Array.from({ length: networkLimits.connections }, dial)
    await Promise.all(
      held.map((socket) => new Promise((resolve) => socket.once("connect", resolve))),
    )
    await new Promise((resolve) => dial().once("close", resolve).resume())
    for (const socket of held) socket.destroy()
    await expect.poll(() => get("http://allowed.example/", [hostHeader])).toContain("200 OK")
    const large = `X: ${"x".repeat(networkLimits.headerBytes)}`
    expect(await get("http://allowed.example/", [hostHeader, large])).toContain("431 ")
  })
})
