import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { listenOnLoopback } from "../../../src/node/index.ts"
import { anthropicApi } from "./anthropic-api.ts"
import { type Api, BadRequest, demand, type Json, type Turn } from "./api.ts"
import { geminiApi } from "./gemini-api.ts"
import { openaiChatApi } from "./openai-chat-api.ts"
import { openaiResponsesApi } from "./openai-responses-api.ts"

const apis: readonly Api[] = [anthropicApi, openaiChatApi, openaiResponsesApi, geminiApi]

/** A stand-in for the APIs of model providers. */
export interface ModelApi extends AsyncDisposable {
  /** Such as "http://127.0.0.1:40123". */
  readonly url: string
  /** The bodies of the requests so far. */
  readonly requests: readonly Json[]
}

/**
 * Answers on the loopback interface as the APIs of Anthropic, OpenAI and Google do, with a model that plays one turn after
 * the other. A request that the real API would refuse is refused: unpaired results, unknown fields, wrong images.
 */
export async function startModelApi(...turns: readonly Turn[]): Promise<ModelApi> {
  const requests: Json[] = []
  let played = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?", 1)[0] ?? ""
    const api = apis.find((one) => one.path.test(path))
    const send = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    }
    if (!api || request.method !== "POST") return send(404, { error: `There is no ${path}.` })
    try {
      const body = JSON.parse(await readText(request))
      requests.push(body)
      demand(!body.stream, "This stand-in does not stream.")
      api.check(body, request.headers)
      const turn = turns[played]
      demand(turn, "The scripted model has no more turns.")
      played += 1
      send(
        200,
        api.answer(turn, (index) => `${played}_${index}`),
      )
    } catch (error) {
      const isRefusal = error instanceof BadRequest
      send(isRefusal ? 400 : 500, api.refusal(isRefusal ? error.message : String(error)))
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  const port = await listenOnLoopback(server, 0, true)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
