import { join } from "node:path"
import { systemClock } from "../kit/index.ts"
import { type HttpOptions, type HttpServer, loadHttp } from "../mcp/index.ts"
import type { Toolkeep } from "../session/index.ts"
import type { RecordStore } from "../store/index.ts"
import { createSignInCodes } from "./access/sign-in-codes.ts"
import { openTokenStore } from "./access/token-store.ts"
import { serveConsole } from "./console/serve-console.ts"
import { apiApp } from "./server/api-app.ts"
import { openApi } from "./server/open-api.ts"
import type { Questions } from "./server/questions.ts"

export interface ApiServerOptions extends HttpOptions {
  /** Where the sessions of the Toolkeep are recorded. */
  readonly store: RecordStore
  readonly home: string
  /** Whom calls of the API and of MCP clients ask. */
  readonly questions: Questions
  /** Whether it serves the console too; true when absent. */
  readonly console?: boolean | undefined
}

export interface ApiServer extends HttpServer {
  /** A code that signs in one device to the console, once, within ten minutes. */
  signInCode(): string
}

/** Serves a Toolkeep to MCP clients at /mcp, the HTTP API at /api, and the console. */
export async function serveApi(
  toolkeep: Toolkeep,
  { store, home, questions, console: hasConsole = true, ...given }: ApiServerOptions,
): Promise<ApiServer> {
  const options = { ...given, approve: questions.approve }
  const { clock = systemClock } = options
  const { serveHttp, hostCheck } = await loadHttp()
  const stopping = new AbortController()
  const refuseHost = hostCheck(options)
  const codes = createSignInCodes(clock)
  const server = await serveHttp(toolkeep, options, {
    mount(app, owners) {
      const tokens = openTokenStore({ file: join(home, "tokens.json"), owners, clock })
      const deps = { toolkeep, store, home, tokens, codes, questions, clock }
      const refuseStranger = (request: Request) => refuseHost(request) ?? foreignPage(request)
      app.get("/openapi.json", () => Response.json(openApi()))
      if (hasConsole) serveConsole(app, refuseHost)
      app.route("/api", apiApp(deps, { refuseStranger, stopping: stopping.signal }))
    },
    stop: () => stopping.abort(),
  })
  return { ...server, signInCode: codes.create }
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
