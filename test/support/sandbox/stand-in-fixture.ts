import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { type AddressInfo, connect, type Server } from "node:net"
import type { NetworkDecision } from "../../../src/sandbox/network/decide-target.ts"
import type { Dialer } from "../../../src/sandbox/network/dialer.ts"
import { standInCertificate } from "./stand-in-certificate.ts"

/** Stands in for the world in tests: names, public addresses, and two real servers behind them. */
export interface StandIn extends AsyncDisposable {
  readonly dialer: Dialer
  /** What was connected to, as "address:port". */
  readonly reached: readonly string[]
  /** What the servers were asked, with the body. */
  readonly asked: readonly { readonly message: IncomingMessage; readonly body: string }[]
  readonly decisions: NetworkDecision[]
  /** What was reached and asked so far. */
  forget(): void
  /** What names lead to; a list of answers is given one after another. */
  readonly names: Map<string, readonly string[] | { readonly inTurn: string[][] }>
}

export const publicAddress = "93.184.215.14"

/** "http" and "https" servers answer on the ports 80 and 443 of every address. */
export async function openStandIn(): Promise<StandIn> {
  const reached: string[] = []
  const asked: { message: IncomingMessage; body: string }[] = []
  const answer: RequestListener = async (message, response) => {
    let body = ""
    for await (const part of message.setEncoding("latin1")) body += part
    asked.push({ message, body })
    const { url = "/" } = message
    if (url.startsWith("/to/")) {
      const Location = decodeURIComponent(url.slice("/to/".length))
      response.writeHead(302, { Location }).end()
    } else if (url.startsWith("/raw/")) {
      message.socket.end(decodeURIComponent(url.slice("/raw/".length)), "latin1")
    } else if (url === "/slow") {
      response.write("begun\n")
    } else {
      response.setHeader("Set-Cookie", ["a=1", "b=2"])
      response.end(`${message.method} ${message.headers.host} ${url} ${body}\n`)
    }
  }
  const plain = await listening(createServer(answer))
  const secure = await listening(createSecureServer(standInCertificate, answer))
  const portOf = (server: Server) => (server.address() as AddressInfo).port
  const names: StandIn["names"] = new Map([["allowed.example", [publicAddress]]])
  const dialer: Dialer = {
    async lookup(name) {
      const found = names.get(name)
      if (!found) throw new Error(`ENOTFOUND ${name}`)
      return "inTurn" in found ? (found.inTurn.shift() ?? []) : found
    },
    connect(address, port) {
      reached.push(`${address}:${port}`)
      const stand = port === 80 ? portOf(plain) : port === 443 ? portOf(secure) : 1
      return connect({ host: "127.0.0.1", port: stand, allowHalfOpen: true })
    },
    ownAddresses: () => ["127.0.0.1", "8.8.4.4"],
  }
  return {
    ...{ dialer, reached, asked, names, decisions: [] },
    forget() {
      reached.length = 0
      asked.length = 0
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([plain, secure].map(closed))
    },
  }
}

async function listening<Kind extends Server>(server: Kind): Promise<Kind> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

async function closed(server: Server & { closeAllConnections?: () => void }): Promise<void> {
  const done = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections?.()
  await done
}
