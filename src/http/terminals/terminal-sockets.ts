import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { WebSocket, WebSocketServer } from "ws"
import type { SingleUse } from "../access/single-use.ts"
import type { TokenStore } from "../access/token-store.ts"
import { httpLimits } from "../limits.ts"
import { type ServeTerminalDeps, serveTerminal, type TerminalGrant } from "./serve-terminal.ts"

export interface TerminalSocketsDeps
  extends Pick<ServeTerminalDeps, "clock" | "open" | "places" | "stopping"> {
  readonly tickets: SingleUse<TerminalGrant>
  readonly tokens: Pick<TokenStore, "list">
  /** Refuses what does not come from this machine's own pages and programs. */
  readonly refuseStranger: (request: Request) => Response | null
}

/** Answers the requests for sockets: one terminal for each ticket. */
export function createTerminalSockets(
  deps: TerminalSocketsDeps,
): (request: IncomingMessage, connection: Duplex, head: Buffer) => void {
  const { refuseStranger, stopping } = deps
  /** Those that have sent no ticket yet, the oldest first. */
  const strangers = new Set<WebSocket>()
  let server: Promise<WebSocketServer> | null = null

  function accept(socket: WebSocket): void {
    strangers.add(socket)
    const [oldest] = strangers
    if (strangers.size > httpLimits.terminalStrangers) oldest?.terminate()
    socket.once("close", () => strangers.delete(socket))
    serveTerminal(socket, {
      ...deps,
      admit(ticket) {
        const grant = deps.tickets.redeem(ticket)
        if (grant) strangers.delete(socket)
        return grant ?? null
      },
      isValid: ({ token }) => deps.tokens.list().some(({ id }) => id === token),
    })
  }

  return (request, connection, head) => {
    connection.on("error", () => connection.destroy())
    const refused = stopping.aborted
      ? new Response("The server is stopping.\n", { status: 503 })
      : refuseStranger(headersOf(request))
    if (refused) return void refuseUpgrade(connection, refused)
    server ??= openServer()
    server
      .then((opened) => opened.handleUpgrade(request, connection, head, accept))
      .catch(() => connection.destroy())
  }
}

/** Loaded on first use: most servers open no terminal. */
async function openServer(): Promise<WebSocketServer> {
  const { WebSocketServer: Server } = await import("ws")
  return new Server({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false },
    maxPayload: httpLimits.terminalWindowBytes,
  })
}

/** As the checks of all other requests read it. */
function headersOf({ headers }: IncomingMessage): Request {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  )
  return new Request("http://localhost/", { headers: given })
}

async function refuseUpgrade(connection: Duplex, response: Response): Promise<void> {
  const text = await response.text()
  const head = `HTTP/1.1 ${response.status} Refused\r\nConnection: close\r\nContent-Type: text/plain\r\n`
  connection.end(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}
