import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** For tests: a server on loopback with these pages; a string is HTML. */
export interface Pages extends AsyncDisposable {
  /** "http://localhost:1234" */
  readonly origin: string
  readonly port: number
  /** The paths that were asked for. */
  readonly asked: readonly string[]
}

export async function servePages(pages: Readonly<Record<string, string | Answer>>): Promise<Pages> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/"
    // Chromium asks for an icon whenever it likes.
    if (path !== "/favicon.ico") asked.push(path)
    const page = pages[path]
    if (typeof page === "function") page(request, response)
    else if (page === undefined) response.writeHead(404).end("nothing here")
    else response.setHeader("Content-Type", "text/html; charset=utf-8").end(page)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://localhost:${port}`,
    port,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
