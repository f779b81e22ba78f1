import type { IncomingMessage } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { routeEntries } from "../api/index.ts"
import { systemClock } from "../kit/index.ts"
import { type HttpOptions, type HttpServer, loadHttp, type SocketHandler } from "../mcp/index.ts"
import type { PreviewHub } from "../sandbox/index.ts"
import type { Toolkeep } from "../session/index.ts"
import type { RecordStore } from "../store/index.ts"
import { createAccess } from "./access/authorize.ts"
import { createSingleUse } from "./access/single-use.ts"
import { openTokenStore } from "./access/token-store.ts"
import { createRuns, type ServerAgent } from "./agent/runs.ts"
import { createArtifactPages } from "./artifacts/artifact-pages.ts"
import { type Connections, connectionsOf } from "./connections.ts"
import { serveConsole, serveNoSuchPage } from "./console/serve-console.ts"
import { createStreams } from "./events/answer-events.ts"
import { httpLimits } from "./limits.ts"
import { isOpenSandboxUpload, openSandboxApp } from "./opensandbox/open-sandbox-app.ts"
import { createPatternPages, type PatternPages } from "./patterns/pattern-pages.ts"
import { createProofs, type ProveHost } from "./proofs/create-proofs.ts"
import { createSandboxApi, type SandboxApi } from "./sandbox-api/sandbox-api.ts"
import { apiApp, askApi } from "./server/api-app.ts"
import type { ApiDeps } from "./server/handler.ts"
import { openApi } from "./server/open-api.ts"
import type { Questions } from "./server/questions.ts"
import { createOwnSessions } from "./sessions/own-sessions.ts"
import { acceptSockets, type SocketsDeps } from "./sockets/accept-sockets.ts"
import { serveEvents } from "./sockets/serve-events.ts"
import { createOpenAnswers } from "./stopping/open-answers.ts"
import { createOwnCalls } from "./stopping/own-calls.ts"
import { serveTerminal, type TerminalGrant } from "./terminals/serve-terminal.ts"
import { createTerminalPlaces } from "./terminals/terminal-places.ts"

export interface ApiServerOptions extends HttpOptions {
  /** Where the sessions of the Toolkeep are recorded. */
  readonly store: RecordStore
  readonly home: string
  /** Whom calls of the API and of MCP clients ask. */
  readonly questions: Questions
  /** What its sessions show of servers inside their sandboxes, at this server's port. */
  readonly previewHub: PreviewHub
  /** Works in sessions when somebody asks for it; none when absent. */
  readonly ownAgent?: ServerAgent | undefined
  /** Proves the promises of a host; nobody can from here when absent. */
  readonly prove?: ProveHost | undefined
  /** The agents that its policy has rules for. */
  readonly policyAgents?: readonly string[] | undefined
  /** The command line of a server like this one, for clients that start theirs themselves. */
  readonly program?: readonly [string, ...string[]] | undefined
  /** The pages of patterns; none when absent. */
  readonly patterns?: PatternPages | undefined
  /** Whether it serves OpenSandbox's API too, at /v1. */
  readonly opensandbox?: boolean | undefined
  /** Whether it serves E2B's API too, at /e2b. */
  readonly e2b?: boolean | undefined
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
  const { ownAgent: agent = noAgent, policyAgents = [], patterns = createPatternPages() } = given
  const sessions = createOwnSessions({ toolkeep, hasRun: (session) => runs.has(session) })
  const runs = createRuns({
    ...{ agent, store, onAnswered: questions.onAnswered, clock: given.clock ?? systemClock },
    session: (name) => sessions.open(name),
    stopMs: given.limits?.stopMs,
  })
  const { program = ["npx", "-y", "toolkeep", "mcp"] } = given
  const options = { ...others, approve: questions.approve }
  const { clock = systemClock } = options
  const { serveHttp, hostCheck } = await loadHttp()
  const stopping = new AbortController()
  const stopped = new AbortController()
  const calls = createOwnCalls(given.limits?.stopMs)
  const answers = createOpenAnswers()
  const streams = createStreams()
  const refuseHost = hostCheck(options)
  const requests = {
    refuseStranger: (request: Request) => refuseHost(request) ?? foreignPage(request),
    stopping: stopping.signal,
  }
  const { codes: most, codeMs: lifeMs } = httpLimits
  const codes = createSingleUse<true>({ clock, most, lifeMs })
  const artifactPages = createArtifactPages(clock)
  /** By their path. */
  const sockets = new Map<string, SocketHandler>()
  let sandboxApi: SandboxApi | undefined
  const e2b = given.e2b ? await import("./e2b/e2b-app.ts") : null
  const connections = () => connectionsOf({ ...server, program })
  const server: HttpServer = await serveHttp(toolkeep, options, {
    mount(app, owners, exempt) {
      const tokens = openTokenStore({ file: join(home, "tokens.json"), owners, clock })
      const deps: ApiDeps = {
        ...{ toolkeep, sessions, store, home, tokens, codes, questions, connections, clock },
        ...{ runs, policyAgents, artifactPages, patterns, calls },
        tickets: createSingleUse<TerminalGrant>({
          ...{ clock, most: httpLimits.terminals, lifeMs: httpLimits.terminalTicketMs },
        }),
        terminals: createTerminalPlaces(),
        proofs: createProofs(given.prove),
      }
      app.get("/openapi.json", ({ req }) => refuseHost(req.raw) ?? Response.json(openApi()))
      if (hasConsole) serveConsole(app, refuseHost)
      artifactPages.mount(app, requests.refuseStranger)
      const access = createAccess({ tokens, store })
      const api = apiApp(deps, {
        ...requests,
        access,
        stopped: stopped.signal,
        answers,
        streams,
        exempt,
      })
      app.route("/api", api)
      const sandboxApiOf = () => (sandboxApi ??= createSandboxApi({ ...deps, access }))
      const served = { ...requests, stopped: stopped.signal }
      if (given.opensandbox) app.route("/v1", openSandboxApp(sandboxApiOf(), served))
      e2b?.mountE2b(app, sandboxApiOf(), {
        ...{ ...served, exempt, streams, terminals: deps.terminals },
        ...{ isValid: tokens.has, ownerSecret: owners[0] ?? "" },
      })
      // Under another name not even that there is nothing: it would tell that Toolkeep runs here.
      app.all("*", async ({ req }, next) => refuseHost(req.raw) ?? next())
      if (hasConsole) serveNoSuchPage(app)
      const terminalDeps = {
        ...{ ...deps, ...requests, places: deps.terminals },
        admit: (ticket: string) => deps.tickets.redeem(ticket) ?? null,
        isValid: ({ token }: TerminalGrant) => tokens.has(token),
        async open({ session, sandbox, ...terminal }: TerminalGrant, signal: AbortSignal) {
          const workspace = await sessions.open(session).workspace(sandbox)
          return workspace.openTerminal({ ...terminal, signal })
        },
      }
      const serveSocket = (serve: SocketsDeps["serve"]) => acceptSockets({ ...requests, serve })
      sockets.set(
        "/api/terminals",
        serveSocket((accepted) => serveTerminal(accepted, terminalDeps)),
      )
      const ask = askApi(api)
      sockets.set(
        "/api/streams",
        serveSocket((accepted) => serveEvents(accepted, { clock, ask })),
      )
    },
    handOver: (request, response) =>
      artifactPages.handleRequest(request, response) || previewHub.handleRequest(request, response),
    isUpload,
    socketHandler: (request) =>
      previewHub.socketHandler(request) ?? sockets.get(request.url?.split("?", 1)[0] ?? ""),
    async stop() {
      stopping.abort()
      sandboxApi?.sandboxes.close()
      await Promise.all([calls.close(), runs.close()])
      await answers.sent()
      // How the last calls ended is on its way to those who watch.
      if (streams.count() > 0) await sleep(httpLimits.streamPauseMs)
      stopped.abort()
    },
  })
  previewHub.serveAt(server.port)
  artifactPages.serveAt(server.port)
  runs.recover()
  return { ...server, signInCode: () => codes.create(true), connections }
}

const noAgent: ServerAgent = {
  open: () => Promise.reject(new Error("This server has no agent.")),
}

const uploads = routeEntries
  .filter(([, route]) => route.upload)
  .map(([, { method, path }]) => {
    return { method, path: new RegExp(`^/api${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }
  })

/** What E2B's clients upload, also to addresses that they sign. */
function isE2bUpload(path: string): boolean {
  return path === "/e2b/files" || path === "/files"
}

function isUpload({ method, url = "" }: IncomingMessage): boolean {
  const [path = ""] = url.split("?", 1)
  if (method === "POST" && (isOpenSandboxUpload(path) || isE2bUpload(path))) return true
  return uploads.some((upload) => upload.method === method && upload.path.test(path))
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
