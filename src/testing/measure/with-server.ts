import { type AddressInfo, createServer } from "node:net"

/** A server on this machine's own loopback, which sandboxes with a wall can't reach. */
export interface LoopbackServer {
  readonly port: number
  /** How often it was connected to. */
  visits(): number
}

export async function withServer<T>(work: (server: LoopbackServer) => Promise<T>): Promise<T> {
  let visits = 0
  const server = createServer((socket) => {
    visits += 1
    socket.on("error", () => {}).end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const { port } = server.address() as AddressInfo
    return await work({ port, visits: () => visits })
  } finally {
    server.close()
  }
}
