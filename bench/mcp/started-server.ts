import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

export type Kind = "toolkeep" | "bare"
export type Mode = "legacy" | { readonly pin: string }

const fileOf = (kind: Kind) => join(import.meta.dirname, `serve-${kind}.ts`)

export async function connectLines(kind: Kind): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" })
  const args = [fileOf(kind), "lines"]
  await client.connect(new StdioClientTransport({ command: process.execPath, args }))
  return client
}

/** A server over HTTP in a process of its own. */
export interface StartedServer extends Disposable {
  connect(mode: Mode, name?: string): Promise<Client>
  /** What it holds of memory once what it no longer needs is gone, in bytes. */
  memory(): Promise<number>
}

export async function startHttp(kind: Kind): Promise<StartedServer> {
  const args = ["--expose-gc", fileOf(kind), "http"]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? "null")
  const { url, token } = await next()
  return {
    async connect(mode, name = "bench") {
      const client = new Client({ name, version: "1.0.0" }, { versionNegotiation: { mode } })
      const requestInit = { headers: { Authorization: `Bearer ${token}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
      return client
    },
    memory: async () => {
      child.kill("SIGUSR2")
      return (await next()).bytes
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  }
}

/** Until both have compiled what they use. */
export async function warmUp(...clients: readonly Client[]): Promise<void> {
  for (const client of clients) {
    for (let count = 0; count < 2_000; count += 1) await callEcho(client)
  }
}

export async function callEcho(client: Client): Promise<void> {
  const { isError } = await client.callTool({ name: "echo", arguments: { text: "hello" } })
  if (isError) throw new Error("The call failed.")
}
