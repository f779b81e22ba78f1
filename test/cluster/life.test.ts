import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { openToolkeep } from "../../src/session/index.ts"
import { type ClusterFixture, openCluster } from "./cluster-fixture.ts"
import { images } from "./local/build-images.ts"

let cluster: ClusterFixture

beforeAll(async () => {
  cluster = await openCluster()
})

afterAll(() => cluster[Symbol.asyncDispose]())

describe("a sandbox that is a pod", () => {
  it("F21, R12: runs commands over one stream, and goes with its pod", async () => {
    const sandbox = await cluster.host().create({ name: "test" })
    expect(await cluster.pods()).toHaveLength(1)
    await sandbox.destroy()
    expect(await cluster.pods()).toEqual([])
  })

  it("F21, R12: is chosen by name, and a call leaves no pod", async () => {
    vi.stubEnv("TOOLKEEP_IMAGE", images.test)
    vi.stubEnv("TOOLKEEP_KEEPER_IMAGE", images.node)
    onTestFinished(() => void vi.unstubAllEnvs())
    {
      await using toolkeep = await openToolkeep({ host: "kubernetes", policy: "full" })
      const answer = await toolkeep
        .session("test")
        .call("shell.exec", { command: "cat /proc/sys/kernel/hostname" })
      expect(answer).toMatchObject({ ok: true, result: { stdout: "sandbox\n" } })
    }
    expect(await cluster.pods()).toEqual([])
  })

  it("F21, R12: needs no keeper's image: this process's Node is sent to the pod", async () => {
    const { workspace } = await cluster.open({ keeperImage: undefined })
    const { stdout } = await workspace.exec("/run/toolkeep-bin/node -p process.version; id -u")
    expect(stdout).toMatch(/^v\d+\.\d+\.\d+\n\d{5}\n$/)
  })

  it("F21, R12: an image without bash and GNU's programs is lent them", async () => {
    const { workspace } = await cluster.open({ image: images.busybox })
    const { stdout } = await workspace.exec(
      "/bin/bash -c 'echo $BASH_VERSION'; readlink -f /bin/tar",
    )
    expect(stdout).toMatch(/^\d.*\n\/bin\/busybox\n$/)
  })
})
