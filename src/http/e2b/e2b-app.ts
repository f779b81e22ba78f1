import type { Socket } from "node:net"
import type { HttpBindings } from "@hono/node-server"
import { type Context, Hono } from "hono"
import { createInputCheck, ToolFailure } from "../../contract/index.ts"
import { onAbort } from "../../kit/index.ts"
import type { Token } from "../access/token-store.ts"
import type { OpenStreams } from "../events/answer-events.ts"
import type { SandboxApi } from "../sandbox-api/sandbox-api.ts"
import { readJson } from "../server/read-arguments.ts"
import { connectionSignal } from "../stopping/connection-signal.ts"
import type { TerminalPlaces } from "../terminals/terminal-places.ts"
import { refusal, serveMethod } from "./connect/serve-method.ts"
import { createEnvdAccess } from "./envd-access.ts"
import { download, upload } from "./files/serve-files.ts"
import { readSigned } from "./files/signed-urls.ts"
import { filesystemService } from "./filesystem/filesystem-service.ts"
import { processService } from "./process/process-service.ts"
import { NotServed, refuse } from "./rest/refuse.ts"
import { type RestAnswer, restHandlers } from "./rest/rest-handlers.ts"
import { type RestName, type RestRoute, restRoutes, unserved } from "./rest/rest-routes.ts"
import { createUseSandbox } from "./use-sandbox.ts"

export interface E2bOptions {
  /** Refuses what does not come from this machine's own pages and programs; null for what may be answered. */
  readonly refuseStranger: (request: Request) => Response | null
  /** Aborts when the server has stopped. */
  readonly stopped: AbortSignal
  readonly terminals: TerminalPlaces
  /** What access tokens are made with. */
  readonly ownerSecret: string
  readonly isValid: (token: string) => boolean
  /** Limits the streams that are open. */
  readonly streams: OpenStreams
  /** Counts the connection of a stream no longer with the others, until the returned function is called. */
  readonly exempt: (socket: Socket) => () => void
}

interface E2bDeps extends E2bOptions {
  readonly api: SandboxApi
  readonly use: ReturnType<typeof createUseSandbox>
}

type Bindings = { Bindings: HttpBindings }
type App = Hono<Bindings>

/** E2B's API at /e2b: both what makes sandboxes and what each of them answers. */
export function mountE2b(server: App, api: SandboxApi, options: E2bOptions): void {
  const { refuseStranger } = options
  const envdAccess = createEnvdAccess(api.access, options.ownerSecret)
  const use = createUseSandbox(api, envdAccess)
  const app: App = new Hono()
  const deps = { ...options, api, use }
  const { get, put } = fileHandlers(deps)
  // Addresses of files that a client signs begin at the root, whatever address it was given.
  server.get("/files", ({ req }, next) => refuseStranger(req.raw) ?? next(), get)
  server.post("/files", ({ req }, next) => refuseStranger(req.raw) ?? next(), put)
  app.use(async ({ req }, next) => refuseStranger(req.raw) ?? (await next()))
  serveRest(app, api, restHandlers(api, envdAccess))
  serveMethods(app, deps)
  app.get("/files", get)
  app.post("/files", put)
  app.get("/health", async ({ req }) => {
    try {
      await use.byHeader(req.raw)
      return new Response(null, { status: 204 })
    } catch (error) {
      return refuse(error)
    }
  })
  app.all("*", ({ req }) => {
    const path = new URL(req.url).pathname.replace(/^\/e2b/, "")
    const [, why] = unserved.find(([pattern]) => pattern.test(path)) ?? []
    return refuse(new NotServed(why ?? `${req.method} ${path.slice(0, 200)} is not served.`))
  })
  server.route("/e2b", app)
}

function serveRest(app: App, { access }: SandboxApi, handlers: ReturnType<typeof restHandlers>) {
  for (const [name, route] of Object.entries(restRoutes) as [RestName, RestRoute][]) {
    const check = createInputCheck(route.input)
    const handler = handlers[name] as (input: unknown, token: Token) => Promise<RestAnswer>
    const answer = async ({ req }: Context<Bindings>) => {
      try {
        const token = access.require(
          secretOf(req.header("x-api-key")),
          route.scope as "read" | "call",
        )
        const id = req.param("id")
        const given = route.method === "POST" ? await readJson(req.raw) : req.query()
        const checked = check({ ...given, ...(id !== undefined && { id }) })
        if (!checked.ok) throw new ToolFailure(checked.failure)
        const { body, headers } = await handler(checked.value, token)
        const init = { status: route.status, headers: { "Cache-Control": "no-store", ...headers } }
        return body === undefined ? new Response(null, init) : Response.json(body, init)
      } catch (error) {
        return refuse(error)
      }
    }
    for (const path of route.paths) app.on(route.method, path.replace("{id}", ":id"), answer)
  }
}

function serveMethods(app: App, deps: E2bDeps): void {
  const { api, use, stopped, streams, terminals: places } = deps
  const { beside, clock, files, onGone } = api
  const methods = Object.entries({
    ...processService({ beside, clock, places }),
    ...filesystemService({ beside, clock, files, stopped, onGone }),
  })
  for (const [path, method] of methods) {
    app.all(`/${path}`, async (context) => {
      const request = context.req.raw
      try {
        const { sandbox, token } = await use.byHeader(request)
        const signal = connectionSignal(context, stopped)
        const response = await serveMethod(method, request, {
          context: { sandbox, signal, timeoutMs: readTimeout(request) },
          ...{ clock, signal, isValid: () => deps.isValid(token.id) },
          keepAlive: path.startsWith("process.") ? { event: { keepalive: {} } } : { keepalive: {} },
        })
        if (method.kind !== "server-stream") return response
        // Nothing has begun yet: it does when the first message is asked for.
        return streams.open(token.id, () => {
          const ended = new Promise<void>((resolve) => onAbort(signal, resolve))
          void ended.then(deps.exempt(context.env.incoming.socket))
          return { response, ended }
        })
      } catch (error) {
        return refusal(method.kind, use.connectError(error))
      }
    })
  }
}

function fileHandlers({ api, use, stopped }: E2bDeps) {
  const serve =
    (answer: typeof download, operation: "read" | "write") =>
    async (context: Context<Bindings>) => {
      const request = context.req.raw
      try {
        const signed = readSigned(new URL(request.url), operation)
        const { sandbox } = signed ? await use.bySignature(signed) : await use.byHeader(request)
        const signal = connectionSignal(context, stopped)
        return await answer(api.files, { sandbox, request, signal })
      } catch (error) {
        return refuse(error)
      }
    }
  return { get: serve(download, "read"), put: serve(upload, "write") }
}

/** How long a client waits, in the header that the Connect protocol has for it. */
function readTimeout({ headers }: Request): number | null {
  const given = Number(headers.get("connect-timeout-ms") ?? Number.NaN)
  return Number.isSafeInteger(given) && given > 0 ? given : null
}

/** Older SDKs take only keys of one form: "e2b_" and the token's characters in hexadecimal digits. */
function secretOf(key: string | undefined): string | undefined {
  const digits = /^e2b_((?:[0-9a-f]{2})+)$/i.exec(key ?? "")?.[1]
  return digits === undefined ? key : Buffer.from(digits, "hex").toString("utf8")
}
