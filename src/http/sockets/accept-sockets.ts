import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { WebSocket, WebSocketServer } from "ws"
import type { SocketHandler } from "../../mcp/index.ts"
import { httpLimits } from "../limits.ts"

export interface SocketsDeps {
  /** Refuses what does not come from this machine's own pages and programs. */
  readonly refuseStranger: (request: Request) => Response | null
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal
  readonly serve: (accepted: AcceptedSocket) => void
}

export interface AcceptedSocket {
  readonly socket: WebSocket
  /** The headers with which it was asked for. */
  readonly headers: Headers
  readonly connection: Duplex
  /** To be called when it has said who it is: of those that have not, only the latest stay. */
  readonly identified: () => void
}

/** Answers the requests for sockets. */
export function acceptSockets({ refuseStranger, stopping, serve }: SocketsDeps): SocketHandler {
  /** The oldest first. */
  const strangers = new Set<WebSocket>()
  let server: Promise<WebSocketServer> | null = null

  return (request, connection, head) => {
    connection.on("error", () => connection.destroy())
    const headers = headersOf(request)
    const refused = stopping.aborted
      ? new Response("The server is stopping.\n", { status: 503 })
      : refuseStranger(new Request("http://localhost/", { headers }))
    if (refused) return void refuseUpgrade(connection, refused)
    const accept = (socket: WebSocket) => {
      strangers.add(socket)
      const [oldest] = strangers
      if (strangers.size > httpLimits.socketStrangers) oldest?.terminate()
      socket.once("close", () => strangers.delete(socket))
      serve({ socket, headers, connection, identified: () => void strangers.delete(socket) })
    }
    server ??= openServer()
    server
      .then((opened) => opened.handleUpgrade(request, connection, head, accept))
      .catch(() => connection.destroy())
  }
}

/** Loaded on first use: not every server has a reader with sockets. */
async function openServer(): Promise<WebSocketServer> {
  const { WebSocketServer: Server } = await import("ws")
  return new Server({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false },
    maxPayload: httpLimits.terminalWindowBytes,
  })
}

/** As the checks of all other requests read them. */
function headersOf({ headers }: IncomingMessage): Headers {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  )
  return new Headers(given)
}

async function refuseUpgrade(connection: Duplex, response: Response): Promise<void> {
  const text = await response.text()
  const head = `HTTP/1.1 ${response.status} Refused\r\nConnection: close\r\nContent-Type: text/plain\r\n`
  connection.end(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}
