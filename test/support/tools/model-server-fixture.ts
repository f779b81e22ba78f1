import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface ReceivedRequest {
  readonly path: string
  readonly type: string
  readonly authorization: string
  readonly body: Buffer
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
}

interface ServerAnswer {
  readonly status: number
  readonly body: string
}

/** For tests: a model's endpoint on this machine. It stays silent where the answer is null. */
export async function listen(answer: () => ServerAnswer | null): Promise<ModelServer> {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { authorization = "", "content-type": type = "" } = request.headers
    requests.push({ path: request.url ?? "", type, authorization, body: Buffer.concat(pieces) })
    const said = answer()
    if (said) response.writeHead(said.status, { "content-type": "application/json" }).end(said.body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** For tests: an address of this machine where nobody listens. */
export async function unusedAddress(): Promise<string> {
  const server = await listen(() => null)
  await server[Symbol.asyncDispose]()
  return server.url
}
