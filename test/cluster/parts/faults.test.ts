import { execFileSync } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { Workspace } from "../../../src/contract/index.ts"
import { sleep } from "../../../src/kit/index.ts"
import { type ClusterFixture, openCluster } from "../cluster-fixture.ts"
import { apiUrl, bearer } from "../local/configure.ts"
import { endPart, isRunning } from "../local/end-part.ts"

let cluster: ClusterFixture

beforeAll(async () => {
  cluster = await openCluster()
})

afterAll(() => cluster[Symbol.asyncDispose]())

const count = 200
const lines = Array.from({ length: count }, (_, at) => `${at + 1}\n`).join("")

/** Prints numbered lines for some ten seconds; `fault` comes after the first of them. */
async function printThrough(workspace: Workspace, fault: () => Promise<void>): Promise<void> {
  let text = ""
  let ended: Promise<void> | null = null
  const { exitCode } = await workspace.exec(
    `for ((i = 1; i <= ${count}; i++)); do echo $i; sleep 0.05; done; exit 7`,
    {
      timeoutMs: 200_000,
      onOutput({ bytes }) {
        text += Buffer.from(bytes).toString()
        ended ??= fault()
      },
    },
  )
  await ended
  expect({ exitCode, isWhole: text === lines }).toEqual({ exitCode: 7, isWhole: true })
}

async function onlyPod() {
  const [pod] = await cluster.cluster.podsLabelled("toolkeep.dev/sandbox")
  const { metadata, spec } = pod ?? {}
  return { name: metadata?.name ?? "", node: spec?.nodeName ?? "" }
}

describe("under a command that prints numbered lines", () => {
  it("F21, Y16, R12: the API server is killed and back after 5 s, and nothing is lost or told twice", async () => {
    const { workspace } = await cluster.open()
    await printThrough(workspace, async () => {
      const server = endPart("kube-apiserver")
      await sleep(5_000)
      server.start()
    })
    expect((await workspace.exec("echo on")).stdout).toBe("on\n")
  })

  it("F21, Y16, R12: the node's kubelet and containerd are killed and back, and nothing is lost or told twice", async () => {
    const { workspace } = await cluster.open()
    const { node } = await onlyPod()
    await printThrough(workspace, async () => {
      const number = node.slice("node".length)
      const parts = [
        endPart(`--hostname-override=${node}`),
        endPart("containerd", `n${number}/containerd.toml`),
      ]
      await sleep(1_000)
      for (const part of parts.toReversed()) part.start()
    })
    expect((await workspace.exec("echo on")).stdout).toBe("on\n")
  })

  it("F21, Y16, R12: the pod is evicted, and the command answers unavailable", async () => {
    const { workspace } = await cluster.open()
    const { name } = await onlyPod()
    const running = workspace.exec("echo started; sleep 600", {
      onOutput: () => evict(name),
    })
    await expect(running).rejects.toMatchObject({ kind: "unavailable" })
  })

  it("F21, Y16, R12: the node's link goes down, the command answers soon, the next sandbox is elsewhere, and what ran there ends", async () => {
    const { workspace } = await cluster.open()
    const { node } = await onlyPod()
    const link = `v${node.slice("node".length)}`
    const set = (state: string) => execFileSync("ip", ["link", "set", link, state])
    onTestFinished(() => void set("up"))
    let wentDown = 0
    const running = workspace.exec("echo started; sleep 98765", {
      onOutput() {
        set("down")
        wentDown = performance.now()
      },
    })
    // What is unavailable is retryable unless it says otherwise.
    await expect(running).rejects.toMatchObject({ kind: "unavailable", retryable: undefined })
    // On an idle machine 15 s. Not after the minute for which an API server that is away is waited for.
    expect(performance.now() - wentDown).toBeLessThan(60_000)
    await expect.poll(() => isReady(node), { interval: 500 }).toBe(false)
    const other = await cluster.open()
    expect((await other.workspace.exec("echo elsewhere")).stdout).toBe("elsewhere\n")
    await expect(workspace.exec("true")).rejects.toMatchObject({ retryable: false })
    expect(isRunning("98765")).toBe(true)
    set("up")
    await expect.poll(() => isRunning("98765"), { interval: 500, timeout: 120_000 }).toBe(false)
    await expect.poll(() => isReady(node), { interval: 500 }).toBe(true)
  })
})

function ask(path: string, ...options: readonly string[]): string {
  const json = "Content-Type: application/json"
  const words = ["-skf", "-H", bearer, "-H", json, ...options, `${apiUrl}${path}`]
  return execFileSync("curl", words).toString()
}

function isReady(node: string): boolean {
  const { status } = JSON.parse(ask(`/api/v1/nodes/${node}`))
  const conditions: readonly { type: string; status: string }[] = status.conditions
  return conditions.some(({ type, status: is }) => type === "Ready" && is === "True")
}

function evict(name: string): void {
  const body = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name } }
  ask(`/api/v1/namespaces/default/pods/${name}/eviction`, "-d", JSON.stringify(body))
}
