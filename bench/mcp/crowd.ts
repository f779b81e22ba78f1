import { setTimeout as wait } from "node:timers/promises"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { callEcho, type StartedServer } from "./started-server.ts"

export interface CrowdReport {
  readonly errors: number
  /** Milliseconds of each call, sorted. */
  readonly times: readonly number[]
}

/** So many clients at once, each calling again as soon as it is answered. */
export async function crowd(
  server: StartedServer,
  { clients: count, forMs }: { readonly clients: number; readonly forMs: number },
): Promise<CrowdReport> {
  const times: number[] = []
  let errors = 0
  const clients = await Promise.all(
    Array.from({ length: count }, (_, index) => server.connect("legacy", `client ${index}`)),
  )
  const until = performance.now() + forMs
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        const started = performance.now()
        await callEcho(client).catch((error: unknown) => {
          errors += 1
          if (errors === 1) console.error(error)
        })
        times.push(performance.now() - started)
        // As an agent thinks between two calls: without it, only the queue of requests is measured.
        await wait(20 + Math.random() * 80)
      }
    }),
  )
  await Promise.all(
    clients.map(async (client) => {
      if (client.transport instanceof StreamableHTTPClientTransport) {
        await client.transport.terminateSession()
      }
      await client.close()
    }),
  )
  return { errors, times: times.sort((a, b) => a - b) }
}
