import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { systemClock } from "../../src/kit/index.ts"
import { ownerOf } from "../../src/node/process-identity.ts"
import { createWorkspace, type Host, warmHost } from "../../src/sandbox/index.ts"
import { type DockerFixture, openDocker, output } from "./docker-fixture.ts"
import { testBinds, testImage } from "./import-images.ts"

let docker: DockerFixture

beforeAll(async () => {
  docker = await openDocker()
}, 120_000)

afterAll(() => docker[Symbol.asyncDispose]())

describe("a container's life", () => {
  it("Y16: destroying a sandbox removes its container and its files", async () => {
    const [before, files] = [await docker.countContainers(), await readdir(docker.directory)]
    const sandbox = await docker.host().create({ name: "test" })
    expect(await docker.countContainers()).toBe(before + 1)
    await createWorkspace(sandbox).exec("setsid sleep 1000 & echo x >file")
    await sandbox.destroy()
    await sandbox.destroy()
    expect(await docker.countContainers()).toBe(before)
    expect((await readdir(docker.directory)).filter((name) => name !== "shared")).toEqual(
      files.filter((name) => name !== "shared"),
    )
  })

  it("C1: a sandbox that was ready is as empty and as limited as a new one, and none stays", async () => {
    const [before, host] = [await docker.countContainers(), docker.host()]
    let isBusy = false
    const warm = warmHost(host, { sandboxes: 1, clock: systemClock, isBusy: () => isBusy })
    onTestFinished(() => warm.close())
    await expect.poll(warm.ready, { timeout: 60_000 }).toBe(1)
    const look =
      "pwd; ls -A . /tmp /run/toolkeep; ulimit -a; umask; hostname; env -u TOOLKEEP_COMMAND"
    const seen = async (create: Host["create"]) => {
      const sandbox = await create({ name: "test" })
      const { name, image, home, roots, can } = sandbox
      const text = await output(createWorkspace(sandbox), look)
      const containers = await docker.countContainers()
      await sandbox.destroy()
      return { name, image, home, roots, can, text, containers }
    }
    isBusy = true
    expect(await seen(warm.create)).toEqual(await seen(host.create))
    expect(await docker.countContainers()).toBe(before)
    isBusy = false
    await expect.poll(warm.ready, { timeout: 60_000 }).toBe(1)
    await warm.close()
    expect(await docker.countContainers()).toBe(before)
  })

  it("F21, Y16: orphans are taken in and reaped, and no command can end the agent", async () => {
    const workspace = await docker.workspace()
    await output(workspace, "(setsid true &); (sleep 0.05 &); kill -9 1")
    // A process that ends while grep looks at it is reaped too: `-s` passes over its file.
    const zombies = () => output(workspace, "grep -ls '^State:.Z' /proc/[0-9]*/status")
    await expect.poll(zombies).toBe("")
    const all = workspace.exec("kill -9 -1; sleep 5")
    expect(await all).toMatchObject({ exitCode: 137, ending: { kind: "exited" } })
    expect(await output(workspace, "echo alive")).toBe("alive\n")
  })

  it("F20: what a call does in a container is seen from outside, also in one that has layers", async () => {
    const host = docker.host()
    const first = await host.create({ name: "test" })
    onTestFinished(() => first.destroy())
    await createWorkspace(first).exec("echo one > a")
    const from = await first.snapshot()
    const fork = await host.create({ name: "fork", from })
    onTestFinished(() => fork.destroy())
    for (const sandbox of [first, fork]) {
      const workspace = createWorkspace(sandbox)
      await workspace.exec("true")
      const watch = await sandbox.watch?.()
      const span = await watch?.begin()
      await workspace.exec("echo two >> a; echo new > b; setsid sleep 1000 >/dev/null 2>&1 &")
      const effects = await span?.end()
      expect(effects?.files).toMatchObject({
        below: "/home/user",
        created: { count: 1, first: [{ path: "b", after: { text: "new\n" } }] },
        changed: {
          first: [{ path: "a", before: { text: "one\n" }, after: { text: "one\ntwo\n" } }],
        },
      })
      expect(effects?.processes).toMatchObject({ count: 1, first: [{ command: "sleep 1000" }] })
      expect(effects?.memory).toMatchObject({ peak: expect.any(Number) })
    }
  })

  it("F21: a container that is killed answers what ran in it, and the next command finds its files", async () => {
    const workspace = await docker.workspace()
    await workspace.writeFile("kept", "still here")
    const started = Promise.withResolvers<void>()
    const running = workspace.exec("echo started; sleep 1000", {
      onOutput: () => started.resolve(),
    })
    const outcome = expect(running).rejects.toMatchObject({ kind: "unavailable" })
    await started.promise
    const [container] = await docker.engine.docker.listContainers()
    await docker.engine.docker.getContainer(container?.Id ?? "").kill()
    await outcome
    expect(await workspace.readFile("kept")).toBe("still here")
  })

  it("Y16: what a Toolkeep that was killed left behind is removed at the next first use", async () => {
    const owner = spawn("sleep", ["1000"])
    const dead = ownerOf(owner.pid ?? 0)
    const left = await docker.engine.docker.createContainer({
      Image: testImage,
      Cmd: ["/bin/sleep", "1000"],
      HostConfig: { Binds: testBinds, NetworkMode: "none" },
      Labels: { "toolkeep.owner": dead },
    })
    await left.start()
    const files = join(docker.directory, "sandbox_left")
    await mkdir(files)
    await writeFile(join(files, "owner"), dead)
    await docker.workspace()
    expect([existsSync(files), (await left.inspect()).State.Running]).toEqual([true, true])
    const exited = once(owner, "exit")
    owner.kill("SIGKILL")
    await exited
    await docker.workspace()
    await expect(left.inspect()).rejects.toMatchObject({ statusCode: 404 })
    expect(existsSync(files)).toBe(false)
  })

  it("Y16: a Toolkeep that is killed takes its containers with it", async () => {
    const before = await docker.countContainers()
    const script = `import { dockerHost } from ${JSON.stringify(import.meta.resolve("../../src/sandbox/hosts/docker/docker-host.ts"))}
      const host = dockerHost(${JSON.stringify(docker.options())})
      const sandbox = await host.create({ name: "test" })
      console.log("made")
      setInterval(() => {}, 1000)`
    const other = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    await once(other.stdout, "data")
    expect(await docker.countContainers()).toBe(before + 1)
    other.kill("SIGKILL")
    await expect.poll(docker.countContainers).toBe(before)
  })
})
