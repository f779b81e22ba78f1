import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { systemClock } from "../../src/kit/index.ts"
import { createWorkspace, type Sandbox, warmHost } from "../../src/sandbox/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { type ClusterFixture, openCluster } from "./cluster-fixture.ts"

let cluster: ClusterFixture

beforeAll(async () => {
  cluster = await openCluster()
})

afterAll(() => cluster[Symbol.asyncDispose]())

const label = "toolkeep.dev/state"

async function namesOf(state: string): Promise<readonly string[]> {
  const pods = await cluster.cluster.podsLabelled(`${label}=${state}`)
  return pods.map(({ metadata }) => metadata?.name ?? "").sort()
}

function openWarm(sandboxes: number) {
  const warm = warmHost(cluster.host(), { sandboxes, clock: systemClock, isBusy: () => false })
  onTestFinished(() => warm.close())
  return warm
}

async function firstAnswer(sandbox: Sandbox): Promise<string> {
  return (await createWorkspace(sandbox).exec("cat /proc/sys/kernel/hostname")).stdout
}

describe("pods that are ready", () => {
  it("F21, R12: are shared by Toolkeeps, each goes to one of them, and others follow", async () => {
    const one = openWarm(2)
    await expect.poll(() => namesOf("warm")).toHaveLength(2)
    const ready = await namesOf("warm")
    const other = openWarm(2)
    const sandboxes = await Promise.all([one, other].map((host) => host.create({ name: "test" })))
    expect(await Promise.all(sandboxes.map(firstAnswer))).toEqual(["sandbox\n", "sandbox\n"])
    // Both were there before, and no third one was made for either.
    expect(await namesOf("taken")).toEqual(ready)
    await expect.poll(() => namesOf("warm")).toHaveLength(2)
    const [next = ""] = await namesOf("warm")
    const path = `/metadata/labels/${label.replace("/", "~1")}`
    const tried = await Promise.all(
      Array.from({ length: 8 }, () =>
        cluster.cluster.patchPod(next, [
          { op: "test", path, value: "warm" },
          { op: "replace", path, value: "elsewhere" },
        ]),
      ),
    )
    expect(tried.filter((pod) => pod !== null)).toHaveLength(1)
    await cluster.cluster.removePod(next)
    for (const sandbox of sandboxes) await sandbox.destroy()
    await Promise.all([one.close(), other.close()])
    expect(await cluster.pods()).toEqual([])
    expect(await cluster.cluster.leasesLabelled("toolkeep.dev/sandbox")).toEqual([])
  })

  it("F21, R12: are made of each shape that was asked for, and one that was deleted is nobody's", async () => {
    const warm = openWarm(1)
    const limits = { memoryBytes: 256 * 2 ** 20 }
    const cold = await warm.create({ name: "cold", limits })
    onTestFinished(() => cold.destroy())
    expect(await namesOf("taken")).toEqual([])
    // One of the default shape, and one of this.
    await expect.poll(() => namesOf("warm")).toHaveLength(2)
    const quick = await warm.create({ name: "quick", limits })
    onTestFinished(() => quick.destroy())
    expect(await firstAnswer(quick)).toBe("sandbox\n")
    expect(await namesOf("taken")).toHaveLength(1)
    const left = await namesOf("warm")
    await Promise.all(left.map((name) => cluster.cluster.removePod(name)))
    const plain = await warm.create({ name: "plain" })
    onTestFinished(() => plain.destroy())
    expect(await firstAnswer(plain)).toBe("sandbox\n")
  })

  it("R12: a pool of a million is refused in words", async () => {
    await expect(openToolkeep({ host: "kubernetes", warm: 1_000_000 })).rejects.toThrow(
      "`warm` has to be a whole number from 0 to 64.",
    )
  })
})
