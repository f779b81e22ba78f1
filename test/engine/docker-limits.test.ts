import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createWorkspace } from "../../src/sandbox/index.ts"
import { sandboxLimits } from "../../src/sandbox/limits.ts"
import { attackDisk } from "../attacks/disk-attacks.ts"
import { inTime } from "../support/in-time.ts"
import { type DockerFixture, openDocker, output } from "./docker-fixture.ts"
import { testImage } from "./import-images.ts"

let docker: DockerFixture

beforeAll(async () => {
  docker = await openDocker()
}, 120_000)

afterAll(() => docker[Symbol.asyncDispose]())

describe("a container's limits", () => {
  it("O30.processes: a fork bomb is held, can be ended, and leaves the sandbox usable", async () => {
    const workspace = await docker.workspace()
    await inTime(async (timeoutMs) => {
      const bomb = await workspace.exec("bomb() { bomb | bomb & }; bomb; sleep 600", { timeoutMs })
      expect(bomb).toMatchObject({
        exitCode: 124,
        ending: { kind: "timed-out", afterMs: timeoutMs },
      })
      expect(bomb.stderr).toContain("Resource temporarily unavailable")
    }, 1_500)
    expect(await output(workspace, "echo alive")).toBe("alive\n")
    const file = "/sys/fs/cgroup/pids/pids.max"
    const max = () => output(workspace, `cat ${file} 2>/dev/null || cat /sys/fs/cgroup/pids.max`)
    // The kernel may still be busy with the end of all those processes.
    await expect.poll(max).toBe(`${sandboxLimits.processes}\n`)
  })

  it("O30.cpu, O30.memory, O30.processes: the engine holds a container to processors, memory without swap, and processes", async () => {
    await docker.workspace()
    const [container] = await docker.engine.docker.listContainers()
    const { HostConfig } = await docker.engine.docker.getContainer(container?.Id ?? "").inspect()
    const { memoryBytes, processes, processors } = sandboxLimits
    expect(HostConfig).toMatchObject({
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      PidsLimit: processes,
      NanoCpus: processors * 1e9,
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      Privileged: false,
    })
  })

  it("O30.memory, O30.processes: what a container uses is told by its engine, and nothing while it sleeps", async () => {
    const sandbox = await docker.host().create({ name: "test" })
    onTestFinished(() => sandbox.destroy())
    const workspace = createWorkspace(sandbox)
    const before = await sandbox.usage?.()
    expect(before).toEqual({
      ...{ cpuMs: expect.any(Number), memoryBytes: expect.any(Number) },
      ...{ processes: expect.any(Number), diskBytes: expect.any(Number) },
    })
    await workspace.processes.start("sleep 8208 & sleep 8208")
    await output(workspace, "for ((at = 0; at < 300000; at += 1)); do :; done")
    const after = await sandbox.usage?.()
    expect(Number(after?.cpuMs)).toBeGreaterThan(Number(before?.cpuMs))
    expect(Number(after?.processes)).toBeGreaterThan(Number(before?.processes))
    await sandbox.sleep()
    expect(await sandbox.usage?.()).toMatchObject({ cpuMs: 0, memoryBytes: 0, processes: 0 })
  })

  it("O30.memory: a sandbox has the limits that were wished for it", async () => {
    const wish = { memoryBytes: 64 * 2 ** 20, processes: 64, processors: 0.5 }
    const sandbox = await docker.host().create({ name: "test", limits: wish })
    onTestFinished(() => sandbox.destroy())
    expect(sandbox.can.limits).toMatchObject(wish)
    const [container] = await docker.engine.docker.listContainers()
    const { HostConfig } = await docker.engine.docker.getContainer(container?.Id ?? "").inspect()
    expect(HostConfig).toMatchObject({
      Memory: wish.memoryBytes,
      MemorySwap: wish.memoryBytes,
      PidsLimit: 64,
      NanoCpus: 5e8,
    })
    const taken = await createWorkspace(sandbox).exec(
      `head -c 100M /dev/zero | tail -c 100M >/dev/null; echo "\${PIPESTATUS[1]}"`,
    )
    expect(taken.stdout).toBe("137\n")
    const nonsense = docker.host().create({ name: "test", limits: { processes: 0 } })
    await expect(nonsense).rejects.toMatchObject({ kind: "invalid_args" })
  })

  it("O30: who fills the home is ended near its limit, and goes on when there is room", async () => {
    const limits = { diskBytes: 20 * 2 ** 20 }
    const sandbox = await docker.host().create({ name: "test", limits })
    onTestFinished(() => sandbox.destroy())
    const workspace = createWorkspace(sandbox)
    const fill = "for i in $(seq 1 60); do head -c 1M /dev/zero >file$i; sleep 0.03; done; sleep 30"
    await expect(workspace.exec(fill)).rejects.toMatchObject({
      kind: "execution_error",
      message: expect.stringContaining("more than the 20 MiB that they may"),
    })
    await expect(workspace.writeFile("more", "x")).rejects.toMatchObject({ code: "no-space" })
    expect(await output(workspace, "rm file*; echo removed")).toBe("removed\n")
    await workspace.writeFile("more", "x")
    expect(await output(workspace, "echo y >>more; cat more")).toBe("xy\n")
  }, 120_000)

  it("O30: what is removed while it is held, and what temporary files become, count as well", async () => {
    const attack = (name: string) => attackDisk(docker.host(), name)
    const held = await Promise.all([
      attack("files that are removed while they are open"),
      attack("files that are removed on their way through a socket"),
    ])
    for (const answer of held) expect(answer).toMatch(/takes? more than the 20 MiB/)
    const space = await attack("space that is taken at once, without writing")
    expect(space).toBe("refused\nrefused\nrefused\nrefused\nfreed")
    const asleep = await attack("temporary files that become a file of this machine when it sleeps")
    expect(asleep).toMatch(
      /^asleep\n15728642\nx\n(The sandbox can't go to sleep: .*\n){2}4\nasleep$/,
    )
  }, 120_000)

  it("O30: a volume that an image wants is memory with a size, and no disk without one", async () => {
    const { docker: engine } = docker.engine
    const container = await engine.createContainer({ Image: testImage, Cmd: ["true"] })
    const changes = "VOLUME /var/tmp"
    await container.commit({ repo: "toolkeep-volume", tag: "latest", changes })
    await container.remove()
    const sandbox = await docker.host().create({ name: "test", image: "toolkeep-volume:latest" })
    onTestFinished(() => sandbox.destroy())
    const shown = await output(
      createWorkspace(sandbox),
      "stat -f -c %T /var/tmp; df -Pm /var/tmp | tail -1",
    )
    expect(shown).toMatch(/^tmpfs\n\S+ +512 /)
  }, 120_000)
})
