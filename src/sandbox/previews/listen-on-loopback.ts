import type { Server } from "node:http"

/** How often another port is tried where one is free for one of the two addresses only. */
const tries = 10

/**
 * Both of this machine's own addresses on one port, because browsers take either for `*.localhost`.
 * Where there is no IPv6, the first is enough.
 */
export async function listenOnLoopback(create: () => Server): Promise<LoopbackServer> {
  for (let left = tries; ; left -= 1) {
    const first = create()
    const port = await listen(first, "127.0.0.1", 0)
    const second = create()
    try {
      await listen(second, "::1", port)
      return { port, servers: [first, second] }
    } catch (error) {
      if (!isTaken(error)) return { port, servers: [first] }
      first.close()
      if (left === 0) throw error
    }
  }
}

export interface LoopbackServer {
  readonly port: number
  readonly servers: readonly Server[]
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen({ host, port, ipv6Only: host === "::1" }, () => {
      server.off("error", reject).on("error", () => {})
      const address = server.address()
      resolve(typeof address === "object" && address ? address.port : port)
    })
  })
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE"
}
