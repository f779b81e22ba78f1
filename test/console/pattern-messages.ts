import { once } from "node:events"
import { request } from "node:http"
import { type ApiClient, type ApiEvent, createClient } from "../../src/api/index.ts"

/** Of a server with patterns. */
interface Server {
  readonly url: string
  readonly token: string
}

export function clientOf({ url, token }: Server): ApiClient {
  return createClient({ url, token })
}

/** What a new page gets first. */
export async function wholePage(server: Server, pattern: string) {
  for await (const { id = 0, data } of clientOf(server).watch("patterns.watch", { pattern })) {
    return { id, tree: data }
  }
  throw new Error("There is no page.")
}

/** The number of the handler of an element, wherever it is in what was sent. */
export function handlerOf(sent: unknown, tag: string, event: string): string {
  const found = JSON.stringify(sent).match(
    new RegExp(`"tag":"${tag}","props":\\{[^}]*"${event}":\\{"handler":"(\\w+)"`),
  )
  return found?.[1] ?? ""
}

/** What a page gets that comes back and has the messages until this number. */
export async function messagesAfter(
  { url, token }: Server,
  pattern: string,
  number: number,
): Promise<readonly ApiEvent[]> {
  const withNumber: typeof fetch = (address, init) => {
    const headers = new Headers(init?.headers)
    headers.set("Last-Event-ID", String(number))
    return fetch(address, { ...init, headers })
  }
  const client = createClient({ url, token, fetch: withNumber })
  const messages: ApiEvent[] = []
  const { id: last } = await wholePage({ url, token }, pattern)
  for await (const message of client.watch("patterns.watch", { pattern })) {
    messages.push(message)
    if (message.id === last) break
  }
  return messages
}

/** The status of a POST, or of a page, with headers that a browser would not let a program set. */
export async function statusFor(
  { url }: Server,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const method = path.startsWith("/api/") ? "POST" : "GET"
  const given = { ...headers, "content-type": "application/json" }
  const asked = request(new URL(path, url), { method, headers: given })
  asked.end(method === "POST" ? '{"handler":"h1"}' : undefined)
  const [response] = await once(asked, "response")
  response.resume()
  return response.statusCode
}
