import { createSocket, type Socket } from "node:dgram"
import { Resolver } from "node:dns/promises"
import { type AddressInfo, createServer } from "node:net"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { lookUp, systemDialer } from "./dialer.ts"

const records: Readonly<Record<string, Readonly<Record<number, readonly (readonly number[])[]>>>> =
  {
    "both.example": {
      1: [
        [192, 0, 43, 7],
        [192, 0, 43, 8],
      ],
      28: [[0x20, 0x01, 0x05, 0, 0, 0x88, 0x02, 0, ...Array(7).fill(0), 0x10]],
    },
    "four.example": { 1: [[192, 0, 43, 9]] },
  }

/** A name server on loopback that knows what is above and says so of nothing else. */
function answer(query: Buffer): Buffer {
  const labels: string[] = []
  let at = 12
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + size))
    at += size + 1
  }
  const kind = query.readUInt16BE(at + 1)
  const known = records[labels.join(".")]
  const found = known?.[kind] ?? []
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(known ? 0x8180 : 0x8183, 2)
  header.writeUInt16BE(found.length, 6)
  header.fill(0, 8)
  const answers = found.map((bytes) =>
    Buffer.from([0xc0, 0x0c, 0, kind, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
  )
  return Buffer.concat([header, query.subarray(12, at + 5), ...answers])
}

let server: Socket
let resolver: Resolver
let asked = 0

beforeEach(async () => {
  asked = 0
  server = createSocket("udp4")
  server.on("message", (query, from) => {
    asked += 1
    server.send(answer(query), from.port, from.address)
  })
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve))
  resolver = new Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
})

afterEach(() => void server.close())

describe("the network beyond this machine", () => {
  it("C18: a name has all addresses of both kinds, in turn", async () => {
    expect(await lookUp("both.example", resolver)).toEqual([
      ...["192.0.43.7", "2001:500:88:200::10", "192.0.43.8"],
    ])
    expect(await lookUp("four.example", resolver)).toEqual(["192.0.43.9"])
  })

  it("C18: a name that nobody knows is an error, and so is a server that does not answer", async () => {
    await expect(lookUp("none.example", resolver)).rejects.toMatchObject({ code: "ENOTFOUND" })
    server.removeAllListeners("message")
    await expect(lookUp("both.example", resolver)).rejects.toMatchObject({ code: "ETIMEOUT" })
  })

  it("C18: localhost is this machine, and nobody is asked about it", async () => {
    expect(await lookUp("localhost", resolver)).toEqual(["127.0.0.1", "::1"])
    expect(await lookUp("a.localhost", resolver)).toEqual(["127.0.0.1", "::1"])
    expect(asked).toBe(0)
  })

  it("C18: connects to the address it is given, and knows those of this machine", async () => {
    const listener = createServer((socket) => socket.end("reached")).listen(0, "127.0.0.1")
    onTestFinished(() => void listener.close())
    await new Promise((resolve) => listener.once("listening", resolve))
    const socket = systemDialer.connect("127.0.0.1", (listener.address() as AddressInfo).port)
    let heard = ""
    for await (const part of socket.setEncoding("utf8")) heard += part
    expect(heard).toBe("reached")
    socket.destroy()
    expect(systemDialer.ownAddresses()).toContain("127.0.0.1")
  })
})
