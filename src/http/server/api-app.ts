import type { HttpBindings } from "@hono/node-server"
import { type Context, Hono } from "hono"
import type { Route } from "../../api/index.ts"
import { type RouteName, routeEntries } from "../../api/index.ts"
import {
  createInputCheck,
  type FailureDetails,
  type FailureKind,
  failure,
  failureFrom,
  type InputCheck,
  ToolFailure,
} from "../../contract/index.ts"
import { rateLimit } from "../../node/index.ts"
import { allows, type Token } from "../access/token-store.ts"
import { httpLimits } from "../limits.ts"
import { answerEvents, createStreams } from "./answer-events.ts"
import type { ApiDeps, FileAnswer, RequestContext, ServerEvent } from "./handler.ts"
import { readArguments } from "./read-arguments.ts"
import { sandboxHandlers } from "./sandbox-handlers.ts"
import { serverHandlers } from "./server-handlers.ts"
import { sessionHandlers } from "./session-handlers.ts"

export interface ApiOptions {
  /** Refuses what does not come from this machine's own pages and programs; null for what may be answered. */
  readonly refuseStranger: (request: Request) => Response | null
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal
}

type Bindings = { Bindings: HttpBindings }
type Handler = (input: unknown, context: RequestContext) => unknown

/** The routes of the API, to be mounted at /api. */
export function apiApp(deps: ApiDeps, { refuseStranger, stopping }: ApiOptions): Hono<Bindings> {
  const handlers: Readonly<Record<RouteName, unknown>> = {
    ...sessionHandlers(deps),
    ...sandboxHandlers(deps),
    ...serverHandlers(deps),
  }
  const rates = new Map<string, () => boolean>()
  const redeemRate = rateLimit(httpLimits.redeemRate)
  const streams = createStreams()

  /** Who asks; refuses those who may not use this route. */
  function authorize(request: Request, { scope }: Route): Token | null {
    if (scope === "open") {
      if (!redeemRate()) throw tooMany()
      return null
    }
    const given = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1]
    const token = given === undefined ? null : deps.tokens.find(given)
    if (!token) throw new Unauthorized()
    const hasRoom = rates.get(token.id) ?? rateLimit(httpLimits.requestRate)
    rates.set(token.id, hasRoom)
    if (!hasRoom()) throw tooMany()
    if (!allows(token, scope)) throw notAllowed(token, `it does not allow to ${verbs[scope]}`)
    return token
  }

  const app = new Hono<Bindings>()
  for (const [name, route] of routeEntries) {
    const check = createInputCheck(route.input)
    const handler = handlers[name] as Handler
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1")
    app.on(route.method, path, async (context) => {
      const { raw: request } = context.req
      const stranger = refuseStranger(request)
      if (stranger) return stranger
      try {
        const token = authorize(request, route)
        const { input, upload } = await readInput(context, route, check)
        requireOwnSession(token, input)
        const gone = connectionSignal(context, stopping)
        const asked: RequestContext = {
          ...{ token, signal: gone, upload },
          lastEventId: readEventId(request),
        }
        const answer = handler(input, asked)
        if (route.answer === "events") {
          const isValid = () => token !== null && isStillValid(deps, request)
          const events = (await answer) as AsyncIterable<ServerEvent>
          return streams.open(token?.id ?? "", () =>
            answerEvents(events, { ...asked, ...deps, isValid }),
          )
        }
        if (route.answer === "bytes") return fileResponse((await answer) as FileAnswer)
        return Response.json(await answer, { headers: { "Cache-Control": "no-store" } })
      } catch (error) {
        return refusal(name, error)
      }
    })
  }
  app.all("*", () =>
    refusal(
      "",
      new ToolFailure({
        kind: "not_found",
        message: "There is no such route; /openapi.json lists them.",
      }),
    ),
  )
  return app
}

const verbs = {
  read: "read",
  call: "call tools",
  approve: "answer questions",
  own: "change this",
} as const

function isStillValid({ tokens }: ApiDeps, request: Request): boolean {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1]
  return given !== undefined && tokens.find(given) !== null
}

class Unauthorized extends Error {}

function tooMany(): ToolFailure {
  const message = "Too many requests in a short time. Slow down."
  return new ToolFailure({ kind: "unavailable", message, retryable: true })
}

function notAllowed({ name }: Token, why: string): ToolFailure {
  const message = `The token ${JSON.stringify(name)} can't be used for this: ${why}.`
  return new ToolFailure({ kind: "rejected", message })
}

/** The token of one session is good for that one and the tasks in it. */
function requireOwnSession(token: Token | null, input: Readonly<Record<string, unknown>>): void {
  if (token === null || token.session === null) return
  const { session } = input
  const isOwn =
    typeof session === "string" &&
    (session === token.session || session.startsWith(`${token.session}/`))
  if (!isOwn) throw notAllowed(token, `it is for the session ${JSON.stringify(token.session)} only`)
}

async function readInput(context: Context<Bindings>, route: Route, check: InputCheck) {
  const given = await readArguments(context, route)
  const checked = check(given.arguments)
  if (!checked.ok) throw new ToolFailure(checked.failure)
  return { input: checked.value, upload: given.upload }
}

function readEventId(request: Request): number | null {
  const id = Number(request.headers.get("last-event-id") ?? Number.NaN)
  return Number.isSafeInteger(id) && id >= 0 ? id : null
}

function connectionSignal({ env }: Context<Bindings>, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController()
  const { outgoing } = env
  if (outgoing.closed) gone.abort()
  else outgoing.once("close", () => gone.abort())
  return AbortSignal.any([gone.signal, stopping])
}

/** Never shown on the server's own origin: a page or a picture from a sandbox could act for its reader there. */
function fileResponse({ filename, mediaType, bytes, body }: FileAnswer): Response {
  return new Response(body, {
    headers: {
      "Content-Type": mediaType,
      "Content-Length": String(bytes),
      "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
    },
  })
}

const statuses: Readonly<Record<FailureKind, number>> = {
  invalid_args: 400,
  rejected: 403,
  user_denied: 403,
  not_found: 404,
  tool_not_found: 404,
  timeout: 504,
  unavailable: 503,
  execution_error: 500,
}

/** Every error is a failure as tools answer it. */
function refusal(route: string, error: unknown): Response {
  if (error instanceof Unauthorized) {
    const message = "Requests need the header Authorization: Bearer <token>."
    const body = failure(route, { kind: "rejected", message })
    const headers = { "WWW-Authenticate": 'Bearer realm="toolkeep"' }
    return Response.json(body, { status: 401, headers })
  }
  const details: FailureDetails = failureFrom(error)
  return Response.json(failure(route, details), { status: statuses[details.kind] })
}
