import type { ConnectionConfig, Sandbox } from "@alibaba-group/opensandbox"
import { sandboxHome } from "../../../contract/index.ts"
import { errorText } from "../../../kit/index.ts"
import { packageProblem } from "../../../node/index.ts"
import { adaptHost, type SandboxApi } from "../../adapted/adapt-sandbox.ts"
import type { Host, HostStatus } from "../../host/host.ts"
import { permanentFailure } from "../../host/unsupported.ts"
import { openSandboxLimits, sandboxLimits } from "../../limits.ts"
import { runCommand } from "./run-command.ts"
import { hasPerl } from "./wrap-command.ts"

export interface OpenSandboxHostOptions {
  /** Where the server is, such as "localhost:8080" or "https://sandboxes.example.com". The host does not work without. */
  readonly domain: string | undefined
  readonly apiKey?: string | undefined
  /** The image of its sandboxes. */
  readonly image: string
}

/** Sandboxes of a server that speaks OpenSandbox's API, through its official SDK. */
export function openSandboxHost(options: OpenSandboxHostOptions): Host {
  const { domain, apiKey, image } = options
  const connection = async (requestTimeoutSeconds: number = openSandboxLimits.requestSeconds) => {
    // Nobody is asked who was not named.
    if (domain === undefined) throw permanentFailure("OPEN_SANDBOX_DOMAIN is not set.")
    const problem = packageProblem("The opensandbox host", ["@alibaba-group/opensandbox"])
    if (problem !== null) throw permanentFailure(problem)
    const { ConnectionConfig } = await import("@alibaba-group/opensandbox")
    return new ConnectionConfig({
      ...{ domain, disableMetrics: true, requestTimeoutSeconds },
      ...(apiKey !== undefined && { apiKey }),
    })
  }
  return adaptHost({
    name: "opensandbox",
    summary: "sandboxes of an OpenSandbox server, which isolates them and decides what they reach",
    images: [image],
    home: sandboxHome,
    roots: [sandboxHome, "/tmp"],
    can: {
      // What the server does beyond containers can't be seen from here.
      isolation: "container",
      ...{ liveOutput: true, argumentLists: true, networks: ["full"], home: sandboxHome },
    },
    probe: async () =>
      probe(await connection(openSandboxLimits.probeSeconds).catch((error) => errorText(error))),
    async create(name, chosen) {
      const connectionConfig = await connection()
      const { Sandbox } = await import("@alibaba-group/opensandbox")
      const sandbox = await Sandbox.create({
        ...{ connectionConfig, image: chosen, resource },
        ...{ timeoutSeconds: openSandboxLimits.lifeSeconds, metadata: { toolkeep: label(name) } },
      })
      return prepare(sandbox).catch(async (error: unknown) => {
        await sandbox.kill().catch(() => {})
        await sandbox.close()
        throw error
      })
    },
  })
}

async function prepare(sandbox: Sandbox): Promise<SandboxApi> {
  const [url, { headers = {} }] = await Promise.all([
    sandbox.getEndpointUrl(execdPort),
    sandbox.getEndpoint(execdPort),
  ])
  const { connectionConfig } = sandbox
  const execd = { url, headers: { ...connectionConfig.headers, ...headers } }
  const place = { sandbox, execd, env: { HOME: sandboxHome } }
  const { exitCode } = await runCommand(
    { ...place, encoder: "shell" },
    `mkdir -p ${sandboxHome} && ${hasPerl}`,
    {
      ...{ cwd: "/", env: {}, stdin: new Uint8Array(), timeoutMs: null, onOutput: () => {} },
      signal: AbortSignal.timeout(openSandboxLimits.readyMs),
    },
  )
  const encoder = exitCode === 0 ? "perl" : "shell"
  const exec: SandboxApi["exec"] = (command, asked) =>
    runCommand({ ...place, encoder }, command, asked)
  const life = openSandboxLimits.lifeSeconds
  // One whose Toolkeep has ended ends by itself.
  const renewing = setInterval(
    () => void sandbox.renew(life).catch(() => {}),
    (life * 1000) / 3,
  ).unref()
  let destroyed: Promise<void> | null = null
  const destroy = async () => {
    clearInterval(renewing)
    await sandbox.kill()
    await sandbox.close()
  }
  return {
    exec,
    takesInput: true,
    endsOnAbort: true,
    destroy() {
      destroyed ??= destroy()
      return destroyed
    },
  }
}

/** What every sandbox of Toolkeep's own hosts has. */
const resource = {
  cpu: String(sandboxLimits.processors),
  memory: String(sandboxLimits.memoryBytes),
}

/** Where execd is found, as OpenSandbox names it. */
const execdPort = 44772

async function probe(connection: ConnectionConfig | string): Promise<HostStatus> {
  const remedy =
    "Set OPEN_SANDBOX_DOMAIN and OPEN_SANDBOX_API_KEY, and TOOLKEEP_IMAGE for the image of sandboxes."
  if (typeof connection === "string") return { kind: "unavailable", reason: connection, remedy }
  const { SandboxManager } = await import("@alibaba-group/opensandbox")
  const manager = SandboxManager.create({ connectionConfig: connection })
  try {
    await manager.listSandboxInfos({ pageSize: 1 })
    return { kind: "ready", detail: `the OpenSandbox server at ${connection.domain}` }
  } catch (error) {
    const reason = `The OpenSandbox server at ${connection.domain} does not answer: ${errorText(error)}.`
    return { kind: "unavailable", reason, remedy }
  } finally {
    await manager.close()
  }
}

/** What metadata takes: letters, digits and a few signs. */
function label(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_.-]/g, "-").slice(0, 63) || "sandbox"
}
