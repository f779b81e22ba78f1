import { type AddressInfo, createServer } from "node:net"
import type { Capabilities, Network, Workspace } from "../../../contract/index.ts"
import { createWorkspace, type NetworkDecision } from "../../../sandbox/index.ts"
import { defineChecks, type Subject, when } from "../../measure/conformance-check.ts"
import { quote, requireEqual, requireFailure, requireThat } from "../../measure/require.ts"

/** A server on this machine's own loopback, which sandboxes with a wall can't reach. */
interface LoopbackServer {
  readonly port: number
  /** How often it was connected to. */
  visits(): number
}

async function withServer<T>(work: (server: LoopbackServer) => Promise<T>): Promise<T> {
  let visits = 0
  const server = createServer((socket) => {
    visits += 1
    socket.on("error", () => {}).end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const { port } = server.address() as AddressInfo
    return await work({ port, visits: () => visits })
  } finally {
    server.close()
  }
}

const hasNone = (can: Capabilities) => can.networks.includes("none")
const hasAllowList = (can: Capabilities) => can.networks.includes("allow-list")

/** Names under .invalid exist nowhere, so these checks need no network beyond this machine. */
const listed = "listed.invalid"
const unlisted = "unlisted.invalid"

const networks: readonly Network[] = [
  { kind: "none" },
  { kind: "allow-list", domains: [listed] },
  { kind: "full" },
]

/** A sandbox with an allow-list, and what it says of its decisions. */
async function openListed({ another }: Subject, ...domains: string[]) {
  const decisions: NetworkDecision[] = []
  const sandbox = await another({
    network: { kind: "allow-list", domains },
    onNetwork: (decision) => decisions.push(decision),
  })
  return { sandbox, workspace: createWorkspace(sandbox), decisions }
}

/** The first line of what the proxy answers; "none" without a proxy. */
async function askProxy(workspace: Workspace, request: string): Promise<string> {
  const script = [
    "address=$HTTP_PROXY; [[ $address ]] || { echo none; exit; }",
    'IFS=:/ read -r _ _ _ name port <<<"$address"',
    'exec 3<>"/dev/tcp/$name/$port" || { echo none; exit; }',
    'printf \'%s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n\' "$REQUEST" "$HOST" >&3',
    'read -r line <&3; echo "$line"',
  ].join("\n")
  const host = request.replace(/^\S+ (http:\/\/)?/, "").replace(/\/.*$/, "")
  const env = { REQUEST: request, HOST: host }
  const { stdout } = await workspace.exec(["bash", "-c", script], { env, timeoutMs: 15_000 })
  return stdout.trim()
}

async function requireRefused(workspace: Workspace, request: string): Promise<void> {
  const answer = await askProxy(workspace, request)
  requireThat(/^HTTP\/1\.[01] 403 /.test(answer), `${request} was answered with ${quote(answer)}`)
}

const networkPromises = {
  undeclared: "a network that the host does not declare is refused",
  none: "without a network neither this machine's loopback nor the metadata address is reached",
  "allow-list": "what is not on an allow-list is refused with 403, by request and by tunnel",
  decisions: "every decision on a connection is reported with the rule that made it",
  private: "an allowed name that leads to a private address is refused",
  direct: "with an allow-list nothing is reached but through the proxy",
  change: "the network of a running sandbox can be changed, and holds from then on",
  malformed: "a rule that names no domain is refused",
}

export const network = defineChecks("network", networkPromises, {
  async undeclared({ sandbox, can }) {
    const others = networks.filter(({ kind }) => !can.networks.includes(kind))
    for (const other of others) {
      const what = `the network ${other.kind}`
      await requireFailure(what, sandbox.setNetwork(other), "invalid_args")
    }
    for (const kind of can.networks) {
      const own = networks.find((one) => one.kind === kind)
      if (own) await sandbox.setNetwork(own)
    }
    return `declared ${can.networks.join(", ")}; refused ${others.length} others`
  },
  none: when(hasNone, async ({ sandbox, workspace }) => {
    await sandbox.setNetwork({ kind: "none" })
    return withServer(async ({ port, visits }) => {
      const places = [`127.0.0.1/${port}`, `localhost/${port}`, "169.254.169.254/80"]
      for (const place of places) {
        await workspace.exec(`echo hello >/dev/tcp/${place}`, { timeoutMs: 3_000 })
      }
      await workspace.exec(`curl -s http://127.0.0.1:${port}/`, { timeoutMs: 3_000 })
      requireEqual("connections to this machine", visits(), 0)
      const metadata = "exec 3<>/dev/tcp/169.254.169.254/80 && printf reached"
      const { stdout } = await workspace.exec(metadata, { timeoutMs: 3_000 })
      requireThat(!stdout.includes("reached"), "the metadata address was reached")
      return `tried ${places.join(", ")}`
    })
  }),
  "allow-list": when(hasAllowList, async (subject) => {
    const { workspace } = await openListed(subject, listed)
    await requireRefused(workspace, `GET http://${unlisted}/`)
    await requireRefused(workspace, `CONNECT ${unlisted}:443`)
    await requireRefused(workspace, `CONNECT ${listed}:22`)
    return "a request, a tunnel and another port were refused"
  }),
  decisions: when(hasAllowList, async (subject) => {
    const { workspace, decisions } = await openListed(subject, listed)
    await askProxy(workspace, `GET http://${unlisted}/`)
    await askProxy(workspace, `CONNECT ${unlisted}:443`)
    const told = decisions.map(({ target, port, allowed }) => ({ target, port, allowed }))
    requireEqual("the decisions", told, [
      { target: unlisted, port: 80, allowed: false },
      { target: unlisted, port: 443, allowed: false },
    ])
    requireThat(
      decisions.every(({ rule }) => rule.length > 0),
      "a decision names no rule",
    )
    return `two decisions, by ${quote(decisions[0]?.rule)}`
  }),
  private: when(hasAllowList, async (subject) => {
    return withServer(async ({ port, visits }) => {
      const { workspace } = await openListed(subject, `localhost:${port}`)
      await requireRefused(workspace, `GET http://localhost:${port}/`)
      await requireRefused(workspace, `CONNECT localhost:${port}`)
      await requireRefused(workspace, `CONNECT 169.254.169.254:80`)
      requireEqual("connections to this machine", visits(), 0)
      return "localhost was on the list and not reached"
    })
  }),
  direct: when(hasAllowList, async (subject) => {
    return withServer(async ({ port, visits }) => {
      const { workspace } = await openListed(subject, listed)
      const command = `echo hello >/dev/tcp/127.0.0.1/${port}`
      const { exitCode } = await workspace.exec(command, { timeoutMs: 3_000 })
      requireThat(exitCode !== 0, "a direct connection succeeded")
      requireEqual("connections to this machine", visits(), 0)
      return "a direct connection to this machine failed"
    })
  }),
  change: when(
    (can) => hasAllowList(can) && hasNone(can),
    async (subject) => {
      const { sandbox, workspace, decisions } = await openListed(subject, listed)
      await requireRefused(workspace, `CONNECT ${unlisted}:443`)
      await sandbox.setNetwork({ kind: "none" })
      requireEqual("the proxy without a network", await askProxy(workspace, "GET x"), "none")
      await sandbox.setNetwork({ kind: "allow-list", domains: [`${unlisted}:8080`] })
      await requireRefused(workspace, `CONNECT ${unlisted}:443`)
      const [first, second] = decisions.map(({ rule }) => rule)
      requireThat(first !== second, `another list refused by the same rule, ${quote(first)}`)
      return "from an allow-list to none and to another list"
    },
  ),
  malformed: when(hasAllowList, async ({ sandbox }) => {
    for (const domain of ["", "*", "https://example.com", "example.com/path", "127.0.0.1"]) {
      const what = `the rule ${quote(domain)}`
      const wanted: Network = { kind: "allow-list", domains: [domain] }
      await requireFailure(what, sandbox.setNetwork(wanted), "invalid_args")
    }
    return "five of them"
  }),
})
