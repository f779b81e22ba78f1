import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

export interface TokenProxy extends AsyncDisposable {
  readonly url: string
}

/** In front of a server for clients that know no token: it adds one, and changes nothing else. */
export async function withToken(target: string, token: string): Promise<TokenProxy> {
  const { hostname, port, pathname } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const forwarded = { ...headers, authorization: `Bearer ${token}` }
    const onward = request({ hostname, port, path: url, method, headers: forwarded }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on("error", () => outgoing.destroy())
    outgoing.on("close", () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
