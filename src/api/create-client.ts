import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream"
import type { Terminal } from "../contract/index.ts"
import { connectTerminal } from "./connect-terminal.ts"
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
    options?: RequestOptions & {
      /** Called when the server says that it stops: what runs has a while to end. */
      readonly onStopping?: (() => void) | undefined
    },
  ): AsyncIterable<ApiEvent>
  download<Name extends BytesRoute>(
    name: Name,
    given: RouteArguments<Name>,
    options?: RequestOptions,
  ): Promise<Response>
  /** Opens a terminal in a sandbox. It is closed when the signal aborts, and when the connection breaks. */
  terminal(given: RouteArguments<"terminals.create">, options?: RequestOptions): Promise<Terminal>
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

/** The server says something every 15 seconds: a stream that is silent for three times as long is dead. */
const silenceMs = 45_000

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
    if (route.answer === "events") headers.set("Accept", "text/event-stream")
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
    async *watch(name, given, { signal, onStopping } = {}) {
      let lastEventId: string | undefined
      for (let pauseMs = 0; !signal?.aborted; ) {
        const silence = watchSilence(signal)
        try {
          await pause(pauseMs, signal)
          const { body } = await ask(routes[name], given, { signal: silence.signal, lastEventId })
          for await (const message of messagesOf(body)) {
            silence.heard()
            pauseMs = 0
            lastEventId = message.id ?? lastEventId
            if (message.event === "stopping") onStopping?.()
            else if (message.event !== "heartbeat") yield eventOf(message)
          }
        } catch (error) {
          if (signal?.aborted) return
          // What the server refuses for good is not asked for again.
          if (error instanceof ApiError && !error.retryable) throw error
        } finally {
          silence.end()
        }
        pauseMs = Math.min(longestPauseMs, pauseMs * 2 || 250)
      }
    },
    download: (name, given, options) => ask(routes[name], given, options),
    async terminal(given, { signal } = {}) {
      const response = await ask(routes["terminals.create"], given, { signal })
      const { ticket } = (await response.json()) as RouteAnswer<"terminals.create">
      return connectTerminal({ url, ticket, signal })
    },
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

/** Ends a connection over which nothing has come for too long, as after a laptop slept. */
function watchSilence(signal: AbortSignal | undefined) {
  const ended = new AbortController()
  const end = () => ended.abort()
  let timer = setTimeout(end, silenceMs)
  signal?.addEventListener("abort", end)
  return {
    signal: ended.signal,
    heard() {
      clearTimeout(timer)
      timer = setTimeout(end, silenceMs)
    },
    end() {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
      end()
    },
  }
}

/** In a page it ends when the network is back, or the page is looked at again. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
      for (const name of wakingEvents) page.removeEventListener?.(name, end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener("abort", end)
    for (const name of wakingEvents) page.addEventListener?.(name, end)
  })
}

/** Where it runs, which hears of these events only if that is a page. */
const page: Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">> =
  Object(globalThis)
const wakingEvents = ["online", "focus", "pageshow"]
