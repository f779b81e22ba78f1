import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { HttpBindings } from "@hono/node-server"
import { type Context, Hono } from "hono"
import type { Route } from "../../api/index.ts"
import { type RouteName, routeEntries } from "../../api/index.ts"
import {
  createInputCheck,
  type FailureDetails,
  failure,
  failureFrom,
  type InputCheck,
  ToolFailure,
} from "../../contract/index.ts"
import { rateLimit } from "../../node/index.ts"
import { type Access, tooMany, Unauthorized } from "../access/authorize.ts"
import { refusalStatus } from "../access/refusal-status.ts"
import type { Token } from "../access/token-store.ts"
import { answerEvents, type OpenStreams } from "../events/answer-events.ts"
import type { Sent } from "../events/server-event.ts"
import { httpLimits } from "../limits.ts"
import { connectionSignal } from "../stopping/connection-signal.ts"
import type { OpenAnswers } from "../stopping/open-answers.ts"
import { agentHandlers } from "./agent-handlers.ts"
import type { ApiDeps, FileAnswer, RequestContext } from "./handler.ts"
import { patternHandlers } from "./pattern-handlers.ts"
import { readArguments } from "./read-arguments.ts"
import { sandboxHandlers } from "./sandbox-handlers.ts"
import { serverHandlers } from "./server-handlers.ts"
import { sessionHandlers } from "./session-handlers.ts"

export interface ApiOptions {
  readonly access: Access
  /** Refuses what does not come from this machine's own pages and programs; null for what may be answered. */
  readonly refuseStranger: (request: Request) => Response | null
  /** Aborts when the server begins to stop: nothing new begins, and what runs gets a while to end. */
  readonly stopping: AbortSignal
  /** Aborts when that is over. */
  readonly stopped: AbortSignal
  readonly answers: OpenAnswers
  readonly streams: OpenStreams
  /** Counts the connection of an event stream no longer with the others, until the returned function is called. */
  readonly exempt: (socket: Socket) => () => void
}

type Bindings = { Bindings: HttpBindings }
type Handler = (input: unknown, context: RequestContext) => unknown

/** The routes of the API, to be mounted at /api. */
export function apiApp(deps: ApiDeps, options: ApiOptions): Hono<Bindings> {
  const { access, refuseStranger, stopping, stopped, answers, streams, exempt } = options
  const handlers: Readonly<Record<RouteName, unknown>> = {
    ...sessionHandlers(deps),
    ...sandboxHandlers(deps),
    ...serverHandlers(deps),
    ...agentHandlers(deps),
    ...patternHandlers(deps),
  }
  const redeemRate = rateLimit(httpLimits.redeemRate)

  /** Who asks; refuses those who may not use this route. */
  function authorize(request: Request, { scope }: Route): Token | null {
    if (scope === "open") {
      if (!redeemRate()) throw tooMany()
      return null
    }
    return access.require(bearerOf(request), scope)
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
        if (token && !route.narrowed) await access.requireSession(token, input.session)
        const gone = connectionSignal(context, stopped)
        const asked: RequestContext = {
          ...{ token, signal: gone, upload },
          host: request.headers.get("host") ?? "",
          lastEventId: readEventId(request),
        }
        const answer = handler(input, asked)
        if (route.answer === "events") {
          const isValid = () => token !== null && deps.tokens.has(token.id)
          const events = (await answer) as AsyncIterable<Sent>
          return streams.open(token?.id ?? "", () => {
            const answered = answerEvents(events, { ...asked, ...deps, isValid, stopping })
            void answered.ended.finally(exempt(context.env.incoming.socket))
            return answered
          })
        }
        answers.add(context.env.outgoing)
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

/** Asks the routes what came over a connection that is not a request of its own. */
export function askApi(app: Hono<Bindings>) {
  const mounted = new Hono<Bindings>().route("/api", app)
  return async (request: Request, connection: Pick<Duplex, "closed" | "once">) =>
    // Of the answer's connection only these are used.
    mounted.fetch(request, {
      ...{ outgoing: connection, incoming: { socket: connection } },
    } as unknown as HttpBindings)
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

/** The secret of the header that the HTTP API takes. */
function bearerOf({ headers }: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1]
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

/** Every error is a failure as tools answer it. */
function refusal(route: string, error: unknown): Response {
  if (error instanceof Unauthorized) {
    const message = "Requests need the header Authorization: Bearer <token>."
    const body = failure(route, { kind: "rejected", message })
    const headers = { "WWW-Authenticate": 'Bearer realm="toolkeep"' }
    return Response.json(body, { status: 401, headers })
  }
  const details: FailureDetails = failureFrom(error)
  return Response.json(failure(route, details), { status: refusalStatus[details.kind] })
}
