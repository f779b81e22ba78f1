import { once } from "node:events"
import { type AddressInfo, createServer, type Server } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { bytesOf } from "../../../../test/support/archive-fixture.ts"
import { type LocalFixture, openLocal } from "../../../../test/support/sandbox/local-fixture.ts"

let local: LocalFixture
beforeAll(async () => {
  local = await openLocal()
})
afterAll(() => local[Symbol.asyncDispose]())

async function listen(host: string, server: Server): Promise<number> {
  server.listen(0, host)
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

it.each(["127.0.0.1", "::1"])("C6: both directions of a connection to %s", async (host) => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.write("hello ")
    socket.pipe(socket)
  })
  const port = await listen(host, server)
  const { readable, writable } = await local.workspace.connect(port)
  const writer = writable.getWriter()
  await writer.write(new TextEncoder().encode("world"))
  await writer.close()
  expect(text(await bytesOf(readable))).toBe("hello world")
  server.close()
})

it("C6: a large answer waits for a slow reader, and all of it arrives", async () => {
  const server = createServer((socket) => socket.end(Buffer.alloc(20_000_000, "x")))
  const port = await listen("127.0.0.1", server)
  const { readable } = await local.workspace.connect(port)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect((await bytesOf(readable)).length).toBe(20_000_000)
  server.close()
})

it("F18: a port nobody listens on is unavailable, and an aborted signal ends the wait", async () => {
  const server = createServer()
  const port = await listen("127.0.0.1", server)
  server.close()
  await once(server, "close")
  await expect(local.workspace.connect(port)).rejects.toMatchObject({
    kind: "unavailable",
    message: `Nothing listens on port ${port} in the sandbox.`,
  })
  const signal = AbortSignal.abort("enough")
  await expect(local.workspace.connect(port, { signal })).rejects.toBe("enough")
})

it("C6: closing it, cancelling it and the sandbox's sleep all end a connection", async () => {
  const ended: string[] = []
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.on("data", (name) => socket.once("close", () => ended.push(String(name))))
  })
  const port = await listen("127.0.0.1", server)
  const ways = ["close", "cancel", "sleep"] as const
  for (const way of ways) {
    const { readable, writable, close } = await local.workspace.connect(port)
    await writable.getWriter().write(new TextEncoder().encode(way))
    await new Promise((resolve) => setTimeout(resolve, 20))
    if (way === "close") close()
    if (way === "cancel") await readable.cancel()
    if (way === "sleep") await local.sandbox.sleep()
    if (way !== "cancel") {
      await expect(bytesOf(readable)).rejects.toThrow("The connection was closed.")
    }
  }
  while (ended.length < ways.length) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(ended).toEqual(ways)
  server.close()
})
