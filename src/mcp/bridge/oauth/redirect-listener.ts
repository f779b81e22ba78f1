import { timingSafeEqual } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import { listenOnLoopback } from "../../../node/index.ts"
import { bridgeLimits, serverLimits } from "../../limits.ts"

export interface LoginAnswer {
  readonly params: URLSearchParams
  /** Shows the person how it ended. */
  readonly tell: (sentence: string) => void
}

const path = "/callback"

/**
 * Listens on this machine for the browser that comes back after a login. `isFixed`: the port was registered, so no
 * other one will do.
 */
export async function listenForRedirect(port: number, isFixed: boolean) {
  let expected: { readonly state: string; readonly take: (answer: LoginAnswer) => void } | null =
    null
  const { headerBytes: maxHeaderSize, headerMs: headersTimeout } = serverLimits
  const server = createServer({ maxHeaderSize, headersTimeout }, (request, response) => {
    const url = URL.parse(request.url ?? "", "http://127.0.0.1")
    const tell = (sentence: string) => sendPage(response, 200, sentence)
    const state = url?.searchParams.get("state") ?? ""
    const isIt = expected !== null && isSame(expected.state, state)
    if (request.method !== "GET" || url?.pathname !== path || !isIt) {
      return sendPage(response, 400, "No login is waiting for this request.")
    }
    expected?.take({ params: url.searchParams, tell })
    expected = null
  })
  const taken = await listenOnLoopback(server, port, isFixed)
  server.maxConnections = bridgeLimits.loginConnections
  return {
    address: `http://127.0.0.1:${taken}${path}`,
    /** What the browser brings, once it has what this login waits for; anything else is refused. */
    answer: (state: string, signal: AbortSignal) =>
      new Promise<LoginAnswer>((resolve, reject) => {
        signal.throwIfAborted()
        expected = { state, take: resolve }
        signal.addEventListener("abort", () => reject(signal.reason), { once: true })
      }),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      // A browser keeps its connection for another page.
      server.closeIdleConnections()
      const patience = setTimeout(() => server.closeAllConnections(), bridgeLimits.endMs)
      await closed
      clearTimeout(patience)
    },
  }
}

function isSame(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function sendPage(response: ServerResponse, status: number, sentence: string): void {
  const safe = sentence.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    Connection: "close",
  })
  response.end(`<!doctype html><title>Toolkeep</title><p>${safe}</p>\n`)
}
