import { createReadStream } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { pipeline } from "node:stream"
import type { Clock } from "../../kit/index.ts"
import type { HttpApp } from "../../mcp/index.ts"
import { sha256 } from "../../node/index.ts"
import type { Artifact } from "../../store/index.ts"
import { createSingleUse } from "../access/single-use.ts"
import { httpLimits } from "../limits.ts"
import { fileBody } from "./file-body.ts"

/**
 * Shows artifacts that are pages, where nothing in them runs: each at a name of its own below localhost. Such a name does
 * not lead here through a proxy, so behind one they are at the server's own name, in the opaque origin that their policy
 * gives them.
 */
export interface ArtifactPages {
  /** Called by the server once it listens. */
  serveAt(port: number): void
  /** The address of an artifact, for one frame of the console at this host; null for one that is not a page. */
  address(session: string, artifact: Artifact, host: string): string | null
  /** Adds the addresses at the server's own name. `refuse` is asked before anything is served. */
  mount(app: HttpApp, refuse: (request: Request) => Response | null): void
  /** Answers a request for an artifact at a name of its own; false for any other. */
  handleRequest(message: IncomingMessage, response: ServerResponse): boolean
}

/** What browsers show in a frame without scripts. They show no PDF in one: those are only downloaded. */
const shownTypes: Readonly<Record<string, string>> = {
  "text/html": "text/html; charset=utf-8",
  "image/svg+xml": "image/svg+xml",
}

const host = /^([a-z0-9]{1,63})\.artifact\.localhost\.?(?::\d{1,5})?$/i
const labelCharacters = 32

interface Ticket {
  /** The name that it is shown at; null for the server's own. */
  readonly label: string | null
  readonly path: string
  readonly mediaType: string
}

export function createArtifactPages(clock: Clock): ArtifactPages {
  const tickets = createSingleUse<Ticket>({
    ...{ clock, most: httpLimits.artifactTickets, lifeMs: httpLimits.artifactTicketMs },
  })
  let served = 0

  /** What a browser wants it for is not known of programs, and of browsers that do not say so. */
  function redeem(secret: string | undefined, label: string | null, destination: unknown) {
    const isFrame = destination === "iframe" || destination === undefined
    // A request that may not use a ticket does not use it up.
    const ticket = isFrame && secret !== undefined ? tickets.redeem(secret) : undefined
    return ticket?.label === label ? ticket : undefined
  }
  function answer(message: IncomingMessage, response: ServerResponse, label: string): void {
    const secret = /^\/([\w-]+)$/.exec(message.url ?? "")?.[1]
    const { "sec-fetch-dest": destination } = message.headers
    const ticket = redeem(message.method === "GET" ? secret : undefined, label, destination)
    response.setHeader("Content-Security-Policy", policyFor(consolesAt(served)))
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    if (!ticket) {
      response.statusCode = 404
      response.setHeader("Content-Type", "text/plain; charset=utf-8")
      response.end(worksOnce)
      return
    }
    response.setHeader("Content-Type", ticket.mediaType)
    pipeline(createReadStream(ticket.path), response, () => response.destroy())
  }

  return {
    serveAt(port) {
      served = port
    },
    address(session, { id, mimeType, path }, at) {
      const mediaType = shownTypes[mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? ""]
      if (mediaType === undefined) return null
      if (!isThisMachine(at)) return `${ownPath}${tickets.create({ label: null, path, mediaType })}`
      const label = sha256(JSON.stringify([session, id])).slice(0, labelCharacters)
      const ticket = tickets.create({ label, path, mediaType })
      return `http://${label}.artifact.localhost:${served}/${ticket}`
    },
    mount(app, refuse) {
      app.get(`${ownPath}:ticket`, ({ req }) => {
        const stranger = refuse(req.raw)
        if (stranger) return stranger
        const ticket = redeem(req.param("ticket"), null, req.header("sec-fetch-dest"))
        const own = { ...headers, "Content-Security-Policy": policyFor(["'self'"]) }
        if (!ticket) return new Response(worksOnce, { status: 404, headers: own })
        return new Response(fileBody(ticket.path), {
          headers: { ...own, "Content-Type": ticket.mediaType },
        })
      })
    },
    handleRequest(message, response) {
      const label = host.exec(message.headers.host ?? "")?.[1]?.toLowerCase()
      if (label === undefined) return false
      answer(message, response, label)
      return true
    },
  }
}

const ownPath = "/artifacts/"
const worksOnce = "An address of an artifact works once, in a frame of the console.\n"

/** Whether a browser that uses this name of the server also finds names below localhost. */
function isThisMachine(at: string): boolean {
  return /^(127\.0\.0\.1|\[::1\]|(?:.+\.)?localhost\.?)(?::\d{1,5})?$/i.test(at)
}

/** Where the console frames artifacts when a browser uses this name of the server, as a source of its policy. */
export function framesAt(at: string): string {
  const isPlain = /^[\w.-]+(?::\d{1,5})?$/.test(at)
  return isThisMachine(at) || !isPlain ? "" : `http://${at}${ownPath}`
}

const headers = {
  "Cache-Control": "no-store",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
}

function consolesAt(port: number): readonly string[] {
  return ["toolkeep.localhost", "localhost", "127.0.0.1"].map((name) => `http://${name}:${port}`)
}

/**
 * Whatever frame it is in: no scripts, no forms, no windows, an opaque origin, and nothing from the network. Only
 * the console frames it.
 */
function policyFor(consoles: readonly string[]): string {
  return [
    "sandbox",
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    ...["img-src data:", "font-src data:", "media-src data:"],
    ...["base-uri 'none'", "form-action 'none'"],
    `frame-ancestors ${consoles.join(" ")}`,
  ].join("; ")
}
