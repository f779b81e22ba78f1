import { join } from "node:path"
import { systemClock } from "../kit/index.ts"
import { type HttpOptions, type HttpServer, loadHttp, type SocketHandler } from "../mcp/index.ts"
import type { PreviewHub } from "../sandbox/index.ts"
import type { Toolkeep } from "../session/index.ts"
import type { RecordStore } from "../store/index.ts"
import { createSingleUse } from "./access/single-use.ts"
import { openTokenStore } from "./access/token-store.ts"
import { type Connections, connectionsOf } from "./connections.ts"
import { serveConsole } from "./console/serve-console.ts"
import { httpLimits } from "./limits.ts"
import { apiApp } from "./server/api-app.ts"
import { type ApiDeps, ownSession } from "./server/handler.ts"
import { openApi } from "./server/open-api.ts"
import type { Questions } from "./server/questions.ts"
import type { TerminalGrant } from "./terminals/serve-terminal.ts"
import { createTerminalPlaces } from "./terminals/terminal-places.ts"
import { createTerminalSockets } from "./terminals/terminal-sockets.ts"

export interface ApiServerOptions extends HttpOptions {
  /** Where the sessions of the Toolkeep are recorded. */
  readonly store: RecordStore
  readonly home: string
  /** Whom calls of the API and of MCP clients ask. */
  readonly questions: Questions
  /** What its sessions show of servers inside their sandboxes, at this server's port. */
  readonly previewHub: PreviewHub
  /** The command line of a server like this one, for clients that start theirs themselves. */
  readonly program?: readonly [string, ...string[]] | undefined
  /** Whether it serves the console too; true when absent. */
  readonly console?: boolean | undefined
}

export interface ApiServer extends HttpServer {
  /** A code that signs in one device to the console, once, within ten minutes. */
  signInCode(): string
  /** How to connect agents to it. */
  connections(): Connections
}

/** Serves a Toolkeep to MCP clients at /mcp, the HTTP API at /api, and the console. */
export async function serveApi(toolkeep: Toolkeep, given: ApiServerOptions): Promise<ApiServer> {
  const { store, home, questions, previewHub, console: hasConsole = true, ...others } = given
  const { program = ["npx", "-y", "toolkeep", "mcp"] } = given
  const options = { ...others, approve: questions.approve }
  const { clock = systemClock } = options
  const { serveHttp, hostCheck } = await loadHttp()
  const stopping = new AbortController()
  const refuseHost = hostCheck(options)
  const access = {
    refuseStranger: (request: Request) => refuseHost(request) ?? foreignPage(request),
    stopping: stopping.signal,
  }
  const { codes: most, codeMs: lifeMs } = httpLimits
  const codes = createSingleUse<true>({ clock, most, lifeMs })
  let takeTerminal: SocketHandler | undefined
  const connections = () => connectionsOf({ ...server, program })
  const server: HttpServer = await serveHttp(toolkeep, options, {
    mount(app, owners) {
      const tokens = openTokenStore({ file: join(home, "tokens.json"), owners, clock })
      const deps: ApiDeps = {
        ...{ toolkeep, store, home, tokens, codes, questions, connections, clock },
        tickets: createSingleUse<TerminalGrant>({
          ...{ clock, most: httpLimits.terminals, lifeMs: httpLimits.terminalTicketMs },
        }),
        terminals: createTerminalPlaces(),
      }
      app.get("/openapi.json", () => Response.json(openApi()))
      if (hasConsole) serveConsole(app, refuseHost)
      app.route("/api", apiApp(deps, access))
      takeTerminal = createTerminalSockets({
        ...{ ...deps, ...access, places: deps.terminals },
        async open({ session, sandbox, ...terminal }, signal) {
          const workspace = await ownSession(deps, session).workspace(sandbox)
          return workspace.openTerminal({ ...terminal, signal })
        },
      })
    },
    handOver: previewHub.handleRequest,
    socketHandler: (request) =>
      previewHub.socketHandler(request) ??
      (request.url?.split("?", 1)[0] === "/api/terminals" ? takeTerminal : undefined),
    stop: () => stopping.abort(),
  })
  previewHub.serveAt(server.port)
  return { ...server, signInCode: () => codes.create(true), connections }
}

/** Only pages of this server itself may use it: pages of another port are other programs of this machine. */
function foreignPage({ headers }: Request): Response | null {
  const site = headers.get("sec-fetch-site")
  const origin = headers.get("origin")
  const isOwnSite = site === null || site === "same-origin" || site === "none"
  const isOwnOrigin = origin === null || originHost(origin) === headers.get("host")
  return isOwnSite && isOwnOrigin
    ? null
    : new Response("Requests of other pages are refused.\n", { status: 403 })
}

function originHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}
