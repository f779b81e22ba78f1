import type { WebSocket } from "ws"
import { isObject } from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"
import type { AcceptedSocket } from "./accept-sockets.ts"

export interface ServeEventsDeps {
  readonly clock: Clock
  /** The routes of the API. */
  readonly ask: (request: Request, connection: AcceptedSocket["connection"]) => Promise<Response>
}

/**
 * One socket: a request for a stream of events first, then the same bytes as over HTTP. A browser has six connections to
 * a server for all of its windows, and hundreds of sockets.
 */
export function serveEvents(
  { socket, headers, connection, identified }: AcceptedSocket,
  { clock, ask }: ServeEventsDeps,
): void {
  const cancel = clock.after(httpLimits.socketStrangerMs, () => socket.terminate())
  socket.on("error", () => socket.terminate())
  socket.once("close", cancel)
  socket.once("message", async (data, isBinary) => {
    cancel()
    try {
      const asked = isBinary ? null : readAsked(String(data), headers)
      if (!asked) return socket.close(1008, "The first message is not a request.")
      const response = await ask(asked, connection)
      if (response.status !== 401) identified()
      await answer(socket, response)
      socket.close(1000)
    } catch {
      socket.terminate()
    }
  })
}

/** `{ "path", "authorization", "last_event_id" }`, with what is known of the page that asks. */
function readAsked(text: string, of: Headers): Request | null {
  const { path, authorization, last_event_id: lastEventId } = readObject(text)
  if (typeof path !== "string" || !path.startsWith("/")) return null
  const host = of.get("host") ?? ""
  const address = `http://${host}${path}`
  if (!URL.canParse(address) || new URL(address).host !== host) return null
  const headers = new Headers({ host })
  for (const name of ["origin", "sec-fetch-site"]) {
    const value = of.get(name)
    if (value !== null) headers.set(name, value)
  }
  if (typeof authorization === "string") headers.set("authorization", authorization)
  if (typeof lastEventId === "string") headers.set("last-event-id", lastEventId)
  return new Request(address, { headers })
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** The status first. Each piece is taken from the stream when the one before was sent. */
async function answer(socket: WebSocket, response: Response): Promise<void> {
  const { status, body } = response
  const isStream = response.headers.get("content-type") === "text/event-stream"
  if (!isStream || !body) {
    if (response.ok) await body?.cancel()
    const said = response.ok ? { status: 404, body: "{}" } : { status, body: await response.text() }
    return send(socket, JSON.stringify(said))
  }
  await send(socket, JSON.stringify({ status }))
  for await (const bytes of body) await send(socket, bytes)
}

function send(socket: WebSocket, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(data, (error) => (error ? reject(error) : resolve()))
  })
}
