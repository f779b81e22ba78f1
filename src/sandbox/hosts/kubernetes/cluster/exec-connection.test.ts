import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { describe, expect, it, onTestFinished } from "vitest"
import { WebSocket, WebSocketServer } from "ws"
import { type ExecConnection, execConnection, execProtocols } from "./exec-connection.ts"

/** A program's other side, as a node speaks it. */
async function openExec(): Promise<{ node: WebSocket; connection: ExecConnection }> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" })
  onTestFinished(() => void server.close())
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const accepted = once(server, "connection")
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, execProtocols)
  const opened = once(socket, "open")
  const [node] = (await accepted) as [WebSocket]
  await opened
  const connection = execConnection(socket)
  onTestFinished(connection.close)
  return { node, connection }
}

const message = (stream: number, content: string | Uint8Array = "") =>
  Buffer.concat([Buffer.of(stream), Buffer.from(content)])

describe("a program in a pod", () => {
  it("R12: is given its input, and answers with output, complaints and exit code", async () => {
    const { node, connection } = await openExec()
    const received = once(node, "message")
    connection.writable.write("in")
    expect((await received)[0]).toEqual(message(0, "in"))
    // Each stream begins with nothing.
    for (const stream of [1, 2, 3]) node.send(message(stream))
    node.send(message(1, "out"))
    node.send(message(2, "wrong\n"))
    const causes = [{ reason: "ExitCode", message: "3" }]
    node.send(message(3, JSON.stringify({ status: "Failure", details: { causes } })))
    expect(await text(connection.readable)).toBe("out")
    expect(await connection.ended).toBe(3)
    expect(connection.complaint()).toBe("wrong")
  })

  it("R12: has no exit code when its stream ends before it said one", async () => {
    const { node, connection } = await openExec()
    node.send(message(1, "out"))
    node.close()
    expect(await text(connection.readable)).toBe("out")
    expect(await connection.ended).toBeNull()
  })

  it("R12: is not read from while nobody reads, so that its output is nobody's memory", async () => {
    const { node, connection } = await openExec()
    const piece = message(1, new Uint8Array(65_536))
    const pieces = 1_000
    for (let sent = 0; sent < pieces; sent += 1) node.send(piece)
    await once(connection.readable, "readable")
    await expect.poll(() => node.bufferedAmount, { interval: 20 }).toBeGreaterThan(0)
    const waiting = node.bufferedAmount
    await new Promise((resume) => setImmediate(resume))
    expect(connection.readable.readableLength).toBeLessThan(1024 ** 2)
    expect(waiting).toBeGreaterThan(piece.length)
    let read = 0
    for await (const bytes of connection.readable) {
      read += bytes.length
      if (read === pieces * 65_536) break
    }
    expect(node.bufferedAmount).toBe(0)
  })
})
