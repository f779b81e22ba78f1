import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type Network, ToolFailure } from "../../../src/contract/index.ts"
import type {
  Host,
  NetworkDecision,
  Operation,
  Sandbox,
  SandboxSpec,
} from "../../../src/sandbox/index.ts"
import { type BrokenHost, plain } from "./broken-host.ts"

/** Hosts that do not keep a sandbox's network to what they say. */
export const flawedNetworks: readonly BrokenHost[] = [
  {
    flaw: "says that there is no network where there is one",
    caughtBy: ["network.none"],
    breakHost: (good) => guarded(good, {}),
  },
  {
    flaw: "has an allow-list that only asks programs to use the proxy",
    caughtBy: ["network.direct"],
    breakHost: (good) => guarded(good, {}),
  },
  {
    flaw: "lets everything pass its allow-list",
    caughtBy: ["network.allow-list", "network.private", "network.change"],
    breakHost: (good) => guarded(good, { refuses: () => false }),
  },
  {
    flaw: "looks at names and not at the addresses behind them",
    caughtBy: ["network.private"],
    breakHost: (good) => guarded(good, { refuses: (target) => !target.startsWith("localhost") }),
  },
  {
    flaw: "keeps its decisions on connections to itself",
    caughtBy: ["network.decisions"],
    breakHost: (good) => guarded(good, { isSilent: true }),
  },
  {
    flaw: "keeps the network that a sandbox was made with",
    caughtBy: ["network.change"],
    breakHost: (good) => guarded(good, { isFixed: true }),
  },
  {
    flaw: "takes any text for a domain",
    caughtBy: ["network.malformed"],
    breakHost: (good) => guarded(good, { accepts: ({ kind }) => kind !== "full" }),
  },
  {
    flaw: "takes a network that it does not have",
    caughtBy: ["network.undeclared"],
    breakHost: (good) => guarded(good, { accepts: (network) => isSound(network) }),
  },
]

interface Flaws {
  readonly accepts?: (network: Network) => boolean
  readonly refuses?: (target: string) => boolean
  readonly isSilent?: boolean
  readonly isFixed?: boolean
}

/** Allow-lists that are kept only by those who use the proxy. */
function guarded(good: Host, flaws: Flaws): Host {
  const can = { ...good.can, networks: ["none", "allow-list"] as const }
  return {
    ...good,
    can,
    create: async (spec) => ({ ...(await guardSandbox(good, spec, flaws)), can }),
  }
}

async function guardSandbox(good: Host, spec: SandboxSpec, flaws: Flaws): Promise<Sandbox> {
  const { accepts = (wanted) => wanted.kind !== "full" && isSound(wanted) } = flaws
  const sandbox = await good.create({ name: spec.name })
  let network: Network = spec.network ?? { kind: "none" }
  const rule = () => JSON.stringify(network)
  const proxy = await openProxy(flaws, (decision) => {
    if (!flaws.isSilent) spec.onNetwork?.({ ...decision, rule: rule() })
  })
  const { port } = proxy.address() as AddressInfo
  return {
    ...plain(sandbox),
    perform(operation, control) {
      return sandbox.perform(withProxy(operation, network, port), control)
    },
    async setNetwork(next) {
      if (!accepts(next)) throw new ToolFailure({ kind: "invalid_args", message: "Not here." })
      if (!flaws.isFixed) network = next
    },
    async destroy() {
      proxy.close()
      proxy.closeAllConnections()
      await sandbox.destroy()
    },
  }
}

function isSound(network: Network): boolean {
  return (
    network.kind !== "allow-list" ||
    network.domains.every((name) => /^[a-z]+(\.[a-z]+)*(:\d+)?$/.test(name))
  )
}

function withProxy<Kind extends Operation>(operation: Kind, network: Network, port: number): Kind {
  if (operation.kind !== "command.run" || network.kind !== "allow-list") return operation
  return { ...operation, env: { ...operation.env, HTTP_PROXY: `http://127.0.0.1:${port}` } }
}

async function openProxy(
  { refuses = () => true }: Flaws,
  onDecision: (decision: Omit<NetworkDecision, "rule">) => void,
): Promise<Server> {
  const decide = (url: string, usual: number) => {
    const address = url.replace(/^http:\/\//, "").replace(/\/.*$/, "")
    const [target = "", port = usual] = address.split(":")
    const allowed = !refuses(target)
    onDecision({ target, port: Number(port), allowed })
    return allowed ? 200 : 403
  }
  const server = createServer((message, response) => {
    response.writeHead(decide(message.url ?? "", 80)).end()
  })
  server.on("connect", (message, socket) => {
    socket.on("error", () => {}).end(`HTTP/1.1 ${decide(message.url ?? "", 443)} So\r\n\r\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}
