import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** The network between a browser and a server, which can be cut: a browser that is told to be offline keeps its streams. */
export interface NetworkLine extends AsyncDisposable {
  readonly port: number
  /** Ends all connections, and refuses others. */
  cut(): void
  mend(): void
}

export async function openLine(to: number): Promise<NetworkLine> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = connect(to, "127.0.0.1")
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on("error", () => {})
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    ...{ port, cut },
    mend() {
      isCut = false
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
    },
  }
}
