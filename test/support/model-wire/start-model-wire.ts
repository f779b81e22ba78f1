import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http"
import { text } from "node:stream/consumers"
import { listenOnLoopback } from "../../../src/node/index.ts"
import { BadRequest, demand, type Json } from "../model-api/api.ts"
import { finishOf, type Wire, type WireAnswer } from "./answer.ts"
import { anthropicWire } from "./anthropic-wire.ts"
import { compatibleWire, openaiChatWire } from "./openai-chat-wire.ts"
import { openaiResponsesWire } from "./openai-responses-wire.ts"

const wires: readonly Wire[] = [anthropicWire, openaiResponsesWire, openaiChatWire, compatibleWire]

/** A stand-in for model providers that stream. */
export interface ModelWire extends AsyncDisposable {
  /** Such as "http://127.0.0.1:40123". */
  readonly url: string
  readonly requests: readonly WireRequest[]
  /** How many clients went away before their answer had ended. */
  readonly hangUps: number
}

export interface WireRequest {
  readonly body: Json
  readonly headers: IncomingHttpHeaders
}

/**
 * Speaks the four wires on the loopback interface, with a model that gives one answer after the other. A request that
 * the real API would refuse is refused in its words, and uses up no answer.
 */
export async function startModelWire(...answers: readonly WireAnswer[]): Promise<ModelWire> {
  const requests: WireRequest[] = []
  const issued = new Map<string, string>()
  let given = 0
  let hangUps = 0

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?", 1)[0] ?? ""
    const wire = wires.find((one) => one.path.test(path))
    if (!wire || request.method !== "POST") {
      response.writeHead(404).end(`There is no ${path}.`)
      return
    }
    response.on("close", () => {
      if (!response.writableFinished) hangUps += 1
    })
    try {
      const body = JSON.parse(await text(request))
      requests.push({ body, headers: request.headers })
      demand(body.stream === true, "This stand-in only streams.")
      wire.check(body, request.headers, issued)
      const answer = answers[given]
      demand(answer, "The scripted model has no more answers.")
      given += 1
      await play(wire, answer, response)
    } catch (error) {
      const isRefusal = error instanceof BadRequest
      const status = isRefusal ? 400 : 500
      const message = isRefusal ? error.message : String(error)
      sendJson(response, status, wire.refusal({ status, message }))
    }
  }

  async function play(wire: Wire, answer: WireAnswer, response: ServerResponse): Promise<void> {
    if ("silence" in answer) return
    if ("status" in answer) {
      sendJson(response, answer.status, wire.refusal(answer), answer.headers)
      return
    }
    const { parts, finish = finishOf(parts), ending = "end" } = answer
    for (const part of parts) if ("reasoning" in part) issued.set(part.signature, part.reasoning)
    const send = (events: readonly Json[]) => response.write(events.map(frame).join(""))
    response.writeHead(200, { "content-type": "text/event-stream" })
    send(wire.events(parts, given))
    await answer.until
    if (typeof ending === "object") send([wire.errorEvent(ending.error)])
    if (ending === "garbage") response.write("data: {oops\n\n")
    if (ending === "end") send(wire.endEvents(finish))
    if (ending === "hang") return
    // What was written reaches the client before the connection breaks.
    if (ending === "break") response.write(": break\n\n", () => response.destroy())
    else response.end()
  }

  const server = createServer((request, response) => void handle(request, response))
  const port = await listenOnLoopback(server, 0, true)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get hangUps() {
      return hangUps
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}

/** Anthropic names its events, and the others do not mind. */
function frame(event: Json): string {
  if (typeof event === "string") return `data: ${event}\n\n`
  const name = typeof event.type === "string" ? `event: ${event.type}\n` : ""
  return `${name}data: ${JSON.stringify(event)}\n\n`
}
