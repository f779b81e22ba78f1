import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { SandboxSpec } from "../../src/sandbox/index.ts"
import { createWorkspace } from "../../src/sandbox/index.ts"
import { inTime } from "../support/in-time.ts"
import { type ClusterFixture, openCluster } from "./cluster-fixture.ts"

let cluster: ClusterFixture

beforeAll(async () => {
  cluster = await openCluster()
})

afterAll(() => cluster[Symbol.asyncDispose]())

async function open(limits: SandboxSpec["limits"]) {
  const sandbox = await cluster.host().create({ name: "test", limits })
  onTestFinished(() => sandbox.destroy())
  return { sandbox, workspace: createWorkspace(sandbox) }
}

describe("a pod's limits", () => {
  it("O30.processes, R12: a fork bomb is held, can be ended, and leaves the sandbox usable", async () => {
    const { workspace } = await open({})
    await inTime(async (timeoutMs) => {
      const bomb = await workspace.exec("bomb() { bomb | bomb & }; bomb; sleep 600", { timeoutMs })
      expect(bomb).toMatchObject({
        exitCode: 124,
        ending: { kind: "timed-out", afterMs: timeoutMs },
      })
      expect(bomb.stderr).toContain("Resource temporarily unavailable")
    }, 1_500)
    expect((await workspace.exec("echo alive")).stdout).toBe("alive\n")
  })

  it("O30.memory, O30.cpu, R12: a pod has what was wished for it, and what takes more memory is killed", async () => {
    const wish = { memoryBytes: 64 * 2 ** 20, processes: 64, processors: 0.5 }
    const { sandbox, workspace } = await open(wish)
    expect(sandbox.can.limits).toMatchObject(wish)
    const [pod] = await cluster.cluster.podsLabelled("toolkeep.dev/sandbox")
    const container = pod?.spec?.containers.find(({ name }) => name === "sandbox")
    const amounts = { memory: String(wish.memoryBytes), cpu: "500m" }
    expect(container?.resources).toEqual({ limits: amounts, requests: amounts })
    const taken = await workspace.exec(
      `head -c 100M /dev/zero | tail -c 100M >/dev/null; echo "\${PIPESTATUS[1]}"`,
    )
    expect(taken.stdout).toBe("137\n")
  })

  it("O30, R12: who fills the home is ended near its limit, and goes on when there is room", async () => {
    const { workspace } = await open({ diskBytes: 20 * 2 ** 20 })
    const fill = "for i in $(seq 1 60); do head -c 1M /dev/zero >file$i; sleep 0.03; done; sleep 30"
    await expect(workspace.exec(fill)).rejects.toMatchObject({
      kind: "execution_error",
      message: expect.stringContaining("more than the 20 MiB that they may"),
    })
    await expect(workspace.writeFile("more", "x")).rejects.toMatchObject({ code: "no-space" })
    expect((await workspace.exec("rm file*; echo removed")).stdout).toBe("removed\n")
    await workspace.writeFile("more", "x")
    expect((await workspace.exec("echo y >>more; cat more")).stdout).toBe("xy\n")
  })
})
