import { type IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { ToolFailure } from "../../contract/index.ts"
import { hasBody } from "../network/pass-response.ts"
import { sendText } from "../network/refusal.ts"
import type { PreviewOptions, Previews } from "./create-previews.ts"
import { passRequest, passUpgrade, readEarly } from "./pass-request.ts"
import { createPreviewTable } from "./preview-table.ts"
import { openSandboxConnections } from "./sandbox-connections.ts"
import { type PreviewServer, servePreviews } from "./serve-previews.ts"

/** The handlers and the lazily opened server behind `createPreviews`. */
export function sessionPreviews({ session, sandboxes, serverPort }: PreviewOptions): Previews {
  const table = createPreviewTable(session)
  const connections = openSandboxConnections(sandboxes)
  let serving: Promise<PreviewServer> | null = null
  let isClosed = false

  async function answer(
    message: IncomingMessage,
    response: ServerResponse,
    pass: (inside: Duplex) => void,
  ): Promise<void> {
    const left = new AbortController()
    response.on("error", () => {}).once("close", () => left.abort())
    let inside: Duplex | undefined
    try {
      const found = table.find(message)
      if (found.kind === "refused") return sendText(response, found.status, found.sentence)
      inside = await connections.open(found.target, left.signal)
      pass(inside)
    } catch (error) {
      inside?.destroy()
      const isExpected = error instanceof ToolFailure
      sendText(
        response,
        502,
        isExpected ? error.message : "The server inside could not be reached.",
      )
    }
  }

  function handleRequest(message: IncomingMessage, response: ServerResponse): void {
    void answer(message, response, (inside) => passRequest(message, response, inside))
  }

  function handleUpgrade(message: IncomingMessage, client: Duplex, head: Buffer): void {
    const response = responseOn(message, client)
    if (response === null) return
    const early = readEarly(client, head)
    if (message.headers.upgrade?.toLowerCase() === "websocket") {
      const upgrade = { client, early, response }
      void answer(message, response, (inside) => passUpgrade(message, upgrade, inside))
    } else if (hasBody(message)) {
      sendText(response, 501, "A preview can be upgraded to a WebSocket only.")
    } else {
      // A client that offers another protocol takes an ordinary answer as well.
      handleRequest(message, response)
    }
  }

  async function listen(): Promise<number> {
    if (isClosed) throw new ToolFailure({ kind: "unavailable", message: "The session is closed." })
    serving ??= servePreviews({ handleRequest, handleUpgrade }).catch((error: unknown) => {
      serving = null
      throw error
    })
    return (await serving).port
  }

  return {
    async url(target) {
      const port = serverPort ?? (await listen())
      return `http://${table.add(target)}:${port}/`
    },
    knows: (host = "") => table.knows(host),
    handleRequest,
    handleUpgrade,
    listen,
    async close() {
      isClosed = true
      connections.endAll()
      const server = await serving?.catch(() => null)
      await server?.close()
    },
  }
}

/**
 * Node leaves the answer to an upgrade to its listener; this is one all the same. Null when an earlier request of
 * the connection still waits for its own answer: a client that does not wait loses the connection.
 */
function responseOn(message: IncomingMessage, client: Duplex): ServerResponse | null {
  const socket = client as Socket
  socket.on("error", () => {})
  const response = new ServerResponse(message)
  response.shouldKeepAlive = false
  try {
    response.assignSocket(socket)
  } catch {
    socket.destroy()
    return null
  }
  return response.once("finish", () => socket.destroySoon())
}
