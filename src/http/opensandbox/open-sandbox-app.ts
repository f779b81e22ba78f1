import type { HttpBindings } from "@hono/node-server"
import { type Context, Hono } from "hono"
import { failureFrom } from "../../contract/index.ts"
import { Unauthorized } from "../access/authorize.ts"
import { refusalStatus } from "../access/refusal-status.ts"
import { SandboxPaused } from "../sandbox-api/api-sandboxes.ts"
import type { SandboxApi } from "../sandbox-api/sandbox-api.ts"
import { connectionSignal } from "../stopping/connection-signal.ts"
import { NotImplemented, notImplemented, type OpenSandboxRoute } from "./request.ts"
import { missingRoutes, openSandboxRoutes } from "./routes.ts"

export interface OpenSandboxOptions {
  /** Refuses what does not come from this machine's own programs; null for what may be answered. */
  readonly refuseStranger: (request: Request) => Response | null
  readonly stopped: AbortSignal
}

type Bindings = { Bindings: HttpBindings }

/** OpenSandbox's lifecycle, execd and egress APIs, to be mounted at /v1. */
export function openSandboxApp(api: SandboxApi, options: OpenSandboxOptions): Hono<Bindings> {
  const app = new Hono<Bindings>()
  for (const route of openSandboxRoutes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1")
    app.on(route.method, path, (context) => answer(context, options, () => serve(context, route)))
  }
  app.all("*", (context) =>
    answer(context, options, async () => {
      api.access.require(secretOf(context.req.raw), "read")
      const below = new URL(context.req.url).pathname.replace(/^\/v1/, "")
      const [, missing] = missingRoutes.find(([pattern]) => pattern.test(below)) ?? []
      if (missing !== undefined) throw notImplemented(missing)
      return refusal(404, "NOT_FOUND", "OpenSandbox's API has no such route.")
    }),
  )

  async function serve(
    context: Context<Bindings>,
    { scope, handle, path }: OpenSandboxRoute,
  ): Promise<Response> {
    const { raw } = context.req
    const token = api.access.require(secretOf(raw), scope)
    const id = context.req.param("id") ?? ""
    if (path.includes("{id}")) await api.access.requireSession(token, id)
    return handle(
      {
        ...{ raw, id, token, signal: connectionSignal(context, options.stopped) },
        query: new URL(raw.url).searchParams,
        path: (name) => context.req.param(name) ?? "",
      },
      api,
    )
  }
  return app
}

async function answer(
  { req }: Context<Bindings>,
  { refuseStranger }: OpenSandboxOptions,
  work: () => Promise<Response>,
): Promise<Response> {
  const stranger = refuseStranger(req.raw)
  if (stranger) return stranger
  try {
    return await work()
  } catch (error) {
    return refusalOf(error)
  }
}

/** Both headers take the server's own tokens. */
function secretOf({ headers }: Request): string | undefined {
  return headers.get("open-sandbox-api-key") ?? headers.get("x-execd-access-token") ?? undefined
}

function refusalOf(error: unknown): Response {
  if (error instanceof Unauthorized) {
    const message = "Requests need the header OPEN-SANDBOX-API-KEY with a token of this server."
    return refusal(401, "UNAUTHORIZED", message)
  }
  if (error instanceof NotImplemented) return refusal(501, "NOT_SUPPORTED", error.message)
  const { kind, message, retryable } = failureFrom(error)
  if (error instanceof SandboxPaused) return refusal(409, "SANDBOX_PAUSED", message)
  // What this host can't do, no other request changes.
  const isMissing = kind === "unavailable" && retryable === false
  return refusal(isMissing ? 501 : refusalStatus[kind], kind.toUpperCase(), message)
}

function refusal(status: number, code: string, message: string): Response {
  const headers = { "Cache-Control": "no-store" }
  return Response.json({ code, message }, { status, headers })
}

const uploads = openSandboxRoutes
  .filter(({ upload }) => upload)
  .map(({ path }) => new RegExp(`^/v1${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`))

/** Whether a request of this API has a file as its body. */
export function isOpenSandboxUpload(path: string): boolean {
  return uploads.some((upload) => upload.test(path))
}
