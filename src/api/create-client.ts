import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream"
import { pathArguments, type Route } from "./route.ts"
import {
  type BytesRoute,
  type EventRoute,
  type JsonRoute,
  type RouteAnswer,
  type RouteArguments,
  routes,
} from "./routes.ts"

export interface ClientOptions {
  /** Such as "http://127.0.0.1:7700". */
  readonly url: string
  readonly token?: string | undefined
  /** The global one when absent. */
  readonly fetch?: typeof fetch | undefined
}

export interface ApiEvent {
  readonly event: string
  /** The number of an entry. */
  readonly id?: number
  readonly data: unknown
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
}

/** Speaks to the HTTP API. Every route has its name, its arguments and its answer from one table. */
export interface ApiClient {
  request<Name extends JsonRoute>(
    name: Name,
    given: RouteArguments<Name>,
    options?: RequestOptions & { readonly body?: Blob | Uint8Array<ArrayBuffer> },
  ): Promise<RouteAnswer<Name>>
  /** Until the signal aborts. A connection that breaks is opened again, after the last event that came. */
  watch<Name extends EventRoute>(
    name: Name,
    given: RouteArguments<Name>,
    options?: RequestOptions,
  ): AsyncIterable<ApiEvent>
  download<Name extends BytesRoute>(
    name: Name,
    given: RouteArguments<Name>,
    options?: RequestOptions,
  ): Promise<Response>
}

/** What the server refused. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly status: number
  readonly kind: string
  readonly retryable: boolean

  constructor(status: number, body: unknown) {
    const { kind, message, retryable } = Object(body)
    super(typeof message === "string" ? message : `The server answered ${status}.`)
    this.status = status
    this.kind = typeof kind === "string" ? kind : "execution_error"
    this.retryable = retryable === true
  }
}

const longestPauseMs = 30_000

export function createClient({ url, token, fetch: send = fetch }: ClientOptions): ApiClient {
  async function ask(
    route: Route,
    given: Readonly<Record<string, unknown>>,
    { signal, body, lastEventId }: Sending = {},
  ): Promise<Response> {
    const inPath = pathArguments(route.path)
    const path = inPath.reduce(
      (filled, name) => filled.replace(`{${name}}`, encodeURIComponent(String(given[name]))),
      route.path,
    )
    const address = new URL(`/api${path}`, url)
    const rest = Object.entries(given).filter(
      ([name, value]) => value !== undefined && !inPath.includes(name),
    )
    const hasBody = !route.upload && (route.method === "POST" || route.method === "PUT")
    if (!hasBody) for (const [name, value] of rest) address.searchParams.set(name, String(value))
    const headers = new Headers()
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`)
    if (hasBody) headers.set("Content-Type", "application/json")
    if (lastEventId !== undefined) headers.set("Last-Event-ID", lastEventId)
    const response = await send(address, {
      ...{ method: route.method, headers, signal: signal ?? null, cache: "no-store" },
      body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : (body ?? null),
    })
    if (response.ok) return response
    throw new ApiError(response.status, await response.json().catch(() => ({})))
  }

  return {
    async request(name, given, options) {
      const response = await ask(routes[name], given, options)
      // The server's tests hold every answer against the route's schema.
      return (await response.json()) as RouteAnswer<typeof name>
    },
    async *watch(name, given, { signal } = {}) {
      let lastEventId: string | undefined
      for (let pauseMs = 0; !signal?.aborted; ) {
        try {
          await pause(pauseMs, signal)
          const { body } = await ask(routes[name], given, { signal, lastEventId })
          for await (const message of messagesOf(body)) {
            pauseMs = 0
            lastEventId = message.id ?? lastEventId
            if (message.event !== "heartbeat") yield eventOf(message)
          }
        } catch (error) {
          if (signal?.aborted) return
          // What the server refuses for good is not asked for again.
          if (error instanceof ApiError && !error.retryable) throw error
        }
        pauseMs = Math.min(longestPauseMs, pauseMs * 2 || 250)
      }
    },
    download: (name, given, options) => ask(routes[name], given, options),
  }
}

interface Sending extends RequestOptions {
  readonly body?: Blob | Uint8Array<ArrayBuffer>
  readonly lastEventId?: string | undefined
}

function messagesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): AsyncIterable<EventSourceMessage> {
  const bytes = body ?? new Blob([]).stream()
  return bytes.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
}

function eventOf({ event = "message", id, data }: EventSourceMessage): ApiEvent {
  return { event, ...(id !== undefined && { id: Number(id) }), data: JSON.parse(data) }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
