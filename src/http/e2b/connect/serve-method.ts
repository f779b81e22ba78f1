import { type Clock, onAbort } from "../../../kit/index.ts"
import { httpLimits } from "../../limits.ts"
import { ConnectError, connectErrorFrom } from "./connect-error.ts"
import { endOfStream, envelopeOf, parseMessage, readEnvelopes, tooLarge } from "./envelopes.ts"
import type { Method } from "./method.ts"

export interface ServeMethodOptions<Context> {
  readonly context: Context
  readonly clock: Clock
  /** Aborts when the client is gone or the server stops. */
  readonly signal: AbortSignal
  /** What a stream without news sends. */
  readonly keepAlive: unknown
  /** Whether the client may still be answered: looked at with each message. */
  readonly isValid: () => boolean
}

const types = { unary: "application/json", stream: "application/connect+json" } as const
const most = httpLimits.bodyBytes

/** Answers one request in the Connect protocol with JSON messages, as E2B's SDKs send them. */
export async function serveMethod<Context>(
  method: Method<Context>,
  request: Request,
  options: ServeMethodOptions<Context>,
): Promise<Response> {
  const type = method.kind === "unary" ? types.unary : types.stream
  try {
    requireForm(request, type)
    if (method.kind === "unary") {
      const message = parseMessage(await readText(request))
      return Response.json(await method.answer(message, options.context), { headers: noStore })
    }
    const messages = readEnvelopes(request.body ?? new Blob([]).stream(), most)
    if (method.kind === "server-stream") {
      const { value: message, done } = await messages.next()
      if (done) throw new ConnectError("invalid_argument", "The request has no message.")
      return streamOf(method.answer(message, options.context), options)
    }
    const answer = await method.answer(messages, options.context)
    return streamed(Buffer.concat([envelopeOf(answer), endOfStream()]))
  } catch (error) {
    return refusal(method.kind, error)
  }
}

/** A failure before there is an answer. Streams tell it in their last message, for nobody reads their status. */
export function refusal(kind: Method<never>["kind"], error: unknown): Response {
  const failure = connectErrorFrom(error)
  if (kind !== "unary") return streamed(endOfStream(failure))
  return Response.json(failure, { status: failure.status, headers: noStore })
}

const noStore = { "Cache-Control": "no-store" }

function streamed(body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { "Content-Type": types.stream, ...noStore } })
}

function requireForm({ method, headers }: Request, type: string): void {
  if (method !== "POST") throw new ConnectError("unimplemented", "Only POST is answered.")
  const given = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase()
  if (given !== type) {
    const message = `The request must be ${type}; the binary form of messages is not served.`
    throw new ConnectError("unimplemented", message)
  }
  for (const name of ["content-encoding", "connect-content-encoding"]) {
    const encoding = headers.get(name) ?? "identity"
    if (encoding === "identity") continue
    throw new ConnectError("unimplemented", `The encoding ${encoding} is not taken.`)
  }
}

async function readText({ body }: Request): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > most) throw tooLarge(most)
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

/** Each message is made when the client has taken the one before. */
function streamOf(
  messages: AsyncIterable<unknown>,
  { clock, signal, keepAlive, isValid }: ServeMethodOptions<unknown>,
): Response {
  const iterator = messages[Symbol.asyncIterator]()
  let next: Promise<IteratorResult<unknown>> | null = null
  const end = async () => void (await iterator.return?.())
  onAbort(signal, () => void end().catch(() => {}))
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        next ??= iterator.next()
        const silence = Promise.withResolvers<"silent">()
        const cancel = clock.after(httpLimits.heartbeatMs, () => silence.resolve("silent"))
        try {
          const first = await Promise.race([next, silence.promise])
          if (!isValid())
            throw new ConnectError("unauthenticated", "The token is not valid any more.")
          if (first === "silent") return controller.enqueue(envelopeOf(keepAlive))
          next = null
          if (!first.done) return controller.enqueue(envelopeOf(first.value))
          controller.enqueue(endOfStream())
          controller.close()
        } catch (error) {
          controller.enqueue(endOfStream(connectErrorFrom(error)))
          controller.close()
          await end().catch(() => {})
        } finally {
          cancel()
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return streamed(body)
}
