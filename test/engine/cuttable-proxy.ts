import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A way to an engine that can be cut, or fall silent. */
export interface CuttableProxy extends AsyncDisposable {
  readonly address: string
  /** Ends every connection at whatever byte it is. */
  cut(): void
  /** Passes nothing on any more, and leaves every connection open; new ones too. */
  silence(): void
  /** Connections from now on are passed on again; those that were silenced stay silent. */
  heal(): void
}

export async function openCuttableProxy(port: number, host = "127.0.0.1"): Promise<CuttableProxy> {
  const pairs = new Set<readonly Socket[]>()
  let isSilent = false
  const server = createServer((client) => {
    const engine = connect({ port, host })
    const pair = [client, engine] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      for (const socket of pair) socket.destroy()
    }
    for (const socket of pair) socket.on("error", end).once("close", end)
    client.on("data", (bytes) => engine.write(bytes))
    engine.on("data", (bytes) => client.write(bytes))
    if (isSilent) for (const socket of pair) socket.pause()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const cut = () => {
    for (const [client] of pairs) client?.destroy()
  }
  return {
    address: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    silence() {
      isSilent = true
      for (const socket of [...pairs].flat()) socket.pause()
    },
    heal() {
      isSilent = false
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
    },
  }
}
