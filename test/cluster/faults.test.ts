import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KubeConfig } from "@kubernetes/client-node"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CuttableProxy, openCuttableProxy } from "../engine/cuttable-proxy.ts"
import { type ClusterFixture, openCluster } from "./cluster-fixture.ts"
import { storageClass } from "./local/make-volumes.ts"

let cluster: ClusterFixture
let way: CuttableProxy
let kubeconfig: string

beforeAll(async () => {
  cluster = await openCluster()
  const config = new KubeConfig()
  config.loadFromDefault()
  const { hostname, port } = new URL(config.getCurrentCluster()?.server ?? "")
  way = await openCuttableProxy(Number(port || 443), hostname)
  kubeconfig = join(tmpdir(), `kubeconfig-${process.pid}`)
  const changed = config
    .exportConfig()
    .replace(/https:\/\/[^"\s]+/, way.address.replace("tcp", "https"))
  writeFileSync(kubeconfig, changed)
})

afterAll(async () => {
  await way[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
})

const lines = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}\n`).join("")

describe("a sandbox of a cluster", () => {
  it("F21, R12: output and exit code are whole after the stream was cut again and again", async () => {
    const { workspace } = await cluster.open({ kubeconfig })
    const count = 60_000
    let text = ""
    let next = 20_000
    const { exitCode } = await workspace.exec(
      `for ((i = 1; i <= ${count}; i++)); do echo $i; done; exit 7`,
      {
        timeoutMs: 200_000,
        onOutput({ bytes }) {
          text += Buffer.from(bytes).toString()
          if (text.length < next) return
          next += 60_000
          way.cut()
        },
      },
    )
    expect(exitCode).toBe(7)
    expect(text === lines(count)).toBe(true)
    expect(next).toBeGreaterThan(250_000)
  })

  it("F21, R12: a stream that stays open and silent is replaced, and nothing is lost", async () => {
    const { workspace } = await cluster.open({ kubeconfig })
    let text = ""
    const { exitCode } = await workspace.exec(
      "echo 1; sleep 1; for i in {2..3000}; do echo $i; done; exit 5",
      {
        timeoutMs: 200_000,
        onOutput({ bytes }) {
          if (text === "") {
            way.silence()
            way.heal()
          }
          text += Buffer.from(bytes).toString()
        },
      },
    )
    expect({ exitCode, isWhole: text === lines(3_000) }).toEqual({ exitCode: 5, isWhole: true })
  })

  it("F21, Y16, R12: when its pod is deleted a command answers unavailable, and the next use says that its files are gone", async () => {
    const { workspace } = await cluster.open()
    const [pod = ""] = await cluster.pods()
    const running = workspace.exec("echo started; sleep 600", {
      onOutput: () => void cluster.cluster.removePod(pod),
    })
    await expect(running).rejects.toMatchObject({ kind: "unavailable" })
    await expect(workspace.exec("true")).rejects.toMatchObject({
      kind: "unavailable",
      retryable: false,
      message: "The sandbox's pod has ended, and its files with it. Create another sandbox.",
    })
  })

  it("F21, Y16, R12: with a volume of its own, the next use finds the files in another pod", async () => {
    const { sandbox, workspace } = await cluster.open({ storageClass })
    await workspace.writeFile("kept", "here")
    const [pod = ""] = await cluster.pods()
    const running = workspace.exec("echo started; sleep 600", {
      onOutput: () => void cluster.cluster.removePod(pod),
    })
    await expect(running).rejects.toMatchObject({ kind: "unavailable" })
    expect((await workspace.exec("cat kept")).stdout).toBe("here")
    await sandbox.sleep()
    expect(await cluster.pods()).toEqual([])
    expect((await workspace.exec("cat kept")).stdout).toBe("here")
    await sandbox.destroy()
    expect(await cluster.cluster.claimsLabelled("toolkeep.dev/sandbox")).toEqual([])
  })
})
