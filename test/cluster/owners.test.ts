import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { V1Pod } from "@kubernetes/client-node"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { systemClock } from "../../src/kit/index.ts"
import type { KubernetesHostOptions } from "../../src/sandbox/hosts/kubernetes/kubernetes-host.ts"
import { createProcessLease } from "../../src/sandbox/hosts/kubernetes/owners/process-lease.ts"
import { type ClusterFixture, openCluster } from "./cluster-fixture.ts"
import { image, keeperImage } from "./images.ts"

let cluster: ClusterFixture

beforeAll(async () => {
  cluster = await openCluster()
})

afterAll(() => cluster[Symbol.asyncDispose]())

const label = "toolkeep.dev/sandbox"

/** In a pid namespace of its own: nobody here can see whether it lives. */
async function startOther(options: Partial<KubernetesHostOptions>): Promise<ChildProcess> {
  const program = join(import.meta.dirname, "other-process.ts")
  const child = spawn(
    "unshare",
    [
      ...["--pid", "--fork", "--mount-proc", "--kill-child", process.execPath, program],
      JSON.stringify({ image, keeperImage, ...options }),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  )
  onTestFinished(() => void child.kill("SIGKILL"))
  await once(child.stdout, "data")
  return child
}

const isRunning = ({ status }: V1Pod) => status?.phase === "Running"

describe("what a Toolkeep has in a cluster", () => {
  it("F21, R12: after kill -9 its pods end by themselves, and with another Toolkeep they are gone after 60 s", async () => {
    const pods = () => cluster.cluster.podsLabelled(label)
    const short = await startOther({ abandonedMs: 3_000 })
    const [soon] = await pods()
    const long = await startOther({})
    const killed = performance.now()
    for (const child of [short, long]) child.kill("SIGKILL")
    // Nobody is there but the keepers.
    const phases = async () => {
      const running = (await pods()).filter(isRunning).map(({ metadata }) => metadata?.name)
      return { isShortOver: !running.includes(soon?.metadata?.name), running: running.length }
    }
    await expect.poll(phases, { interval: 500 }).toEqual({ isShortOver: true, running: 1 })
    const { workspace } = await cluster.open()
    await expect.poll(cluster.pods, { interval: 500, timeout: 120_000 }).toHaveLength(1)
    // On an idle machine 60 s; a busy one has more.
    expect(performance.now() - killed).toBeLessThan(90_000)
    expect((await workspace.exec("echo $((6 * 7))")).stdout).toBe("42\n")
    expect(await cluster.cluster.leasesLabelled(label)).toHaveLength(1)
  })

  it("F21, R12: a Toolkeep whose Lease was taken takes another name, and one that is done leaves none", async () => {
    const { cluster: api } = cluster
    const lease = createProcessLease(api, systemClock, async () => {})
    const release = lease.hold()
    const first = await lease.name()
    const find = async (name: string) =>
      (await api.leasesLabelled(label)).find(({ metadata }) => metadata?.name === name)
    const taken = await find(first)
    await api.updateLease({ ...taken, spec: { ...taken?.spec, holderIdentity: "another" } })
    await expect.poll(lease.name, { interval: 500 }).not.toBe(first)
    const second = await lease.name()
    expect(await find(second)).toBeDefined()
    await release()
    expect(await find(second)).toBeUndefined()
    await api.removeLease(first)
  })
})
