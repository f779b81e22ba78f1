import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { Network } from "../../../src/contract/index.ts"
import { systemClock } from "../../../src/kit/index.ts"
import { tryNetworks } from "../../../src/sandbox/hosts/kubernetes/try-networks.ts"
import { createWorkspace, warmHost } from "../../../src/sandbox/index.ts"
import { openStandIn, type StandIn } from "../../support/sandbox/stand-in-fixture.ts"
import { type ClusterFixture, openCluster } from "../cluster-fixture.ts"
import { image, keeperImage } from "../images.ts"
import { address } from "../local/configure.ts"
import { enforcePolicies } from "../local/enforce-policies.ts"

let cluster: ClusterFixture
let standIn: StandIn
let enforcing: AsyncDisposable
let directory: string

beforeAll(async () => {
  cluster = await openCluster()
  standIn = await openStandIn()
  directory = await mkdtemp(join(tmpdir(), "toolkeep-networks-"))
  enforcing = enforcePolicies(cluster.cluster)
})

afterAll(async () => {
  await enforcing[Symbol.asyncDispose]()
  await standIn[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const host = () => cluster.host({ directory, dialer: standIn.dialer })

async function open(network: Network) {
  const sandbox = await host().create({ name: "test", network })
  onTestFinished(() => sandbox.destroy())
  return { sandbox, workspace: createWorkspace(sandbox) }
}

/** Whether the node is reached, from a bash without other programs. */
const reach = `timeout 3 bash -c 'exec 3<>/dev/tcp/${address(0)}/6443' 2>/dev/null && echo reached || echo closed`

describe("a cluster that enforces policies", () => {
  it("C18, F21, R12: is found out, and then sandboxes have no network unless they ask for one", async () => {
    const { problem, closed } = await tryNetworks({ directory, image, keeperImage })
    expect({ problem, closed }).toEqual({
      problem: null,
      closed: expect.arrayContaining(["the API server", "its node"]),
    })
    expect(host().can.networks).toEqual(["none", "allow-list", "full"])
    const none = await open({ kind: "none" })
    expect((await none.workspace.exec(reach)).stdout).toBe("closed\n")
    await expect(none.sandbox.setNetwork({ kind: "full" })).rejects.toThrow(
      "change the network of a sandbox to or from full",
    )
    const full = await open({ kind: "full" })
    expect((await full.workspace.exec(reach)).stdout).toBe("reached\n")
  })

  it("C18, F21, R12: an allow-list leads over the stream to the domains on it, and nowhere else", async () => {
    const { workspace, sandbox } = await open({ kind: "allow-list", domains: ["allowed.example"] })
    const get = async (domain: string) => {
      const script = `const http = require("http"); const { hostname, port } = new URL(process.env.http_proxy);
http.get({ hostname, port, path: "http://${domain}/plain", headers: { host: "${domain}" } }, (answer) => answer.pipe(process.stdout))`
      return (await workspace.exec(["/run/toolkeep-bin/node", "-e", script])).stdout
    }
    expect(await get("allowed.example")).toContain("GET allowed.example /plain")
    expect(await get("other.example")).toContain("nothing on the allow-list matches")
    expect((await workspace.exec(reach)).stdout).toBe("closed\n")
    await sandbox.setNetwork({ kind: "none" })
    expect((await workspace.exec('echo "<$http_proxy>"')).stdout).toBe("<>\n")
  })

  it("C18, F21, R12: a pod of the pool has the network that was asked for", async () => {
    const warm = warmHost(host(), { sandboxes: 1, clock: systemClock, isBusy: () => false })
    onTestFinished(() => warm.close())
    for (const [kind, found] of [
      ["none", "closed\n"],
      ["full", "reached\n"],
    ] as const) {
      await expect.poll(() => warm.ready()).toBe(1)
      const sandbox = await warm.create({ name: kind, network: { kind } })
      onTestFinished(() => sandbox.destroy())
      await expect.poll(async () => (await createWorkspace(sandbox).exec(reach)).stdout).toBe(found)
    }
    expect(await cluster.cluster.podsLabelled("toolkeep.dev/state=taken")).toHaveLength(2)
  })

  it("C18, F21, R12: where it does so no longer, a sandbox is refused, and none is open that was to be closed", async () => {
    await enforcing[Symbol.asyncDispose]()
    await expect(host().create({ name: "test", network: { kind: "none" } })).rejects.toThrow(
      /^The cluster does not close the sandbox's network: it reaches the API server, its node\./,
    )
    expect(await cluster.pods()).toEqual([])
  })
})
