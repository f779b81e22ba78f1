import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chown, mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createWorkspace } from "../../src/sandbox/index.ts"
import { type DockerFixture, openDocker, output } from "./docker-fixture.ts"

let docker: DockerFixture

beforeAll(async () => {
  docker = await openDocker()
}, 120_000)

afterAll(() => docker[Symbol.asyncDispose]())

const countVolumes = async () => (await docker.engine.docker.listVolumes()).Volumes?.length ?? 0

/** Another Toolkeep, which makes its sandboxes in `directory`; the script has `host` and `createWorkspace`. */
function otherToolkeep(script: string, directory: string): string[] {
  const host = import.meta.resolve("../../src/sandbox/hosts/docker/docker-host.ts")
  const workspace = import.meta.resolve("../../src/sandbox/workspace/create-workspace.ts")
  return [
    "--input-type=module",
    "-e",
    `import { dockerHost } from ${JSON.stringify(host)}
     import { createWorkspace } from ${JSON.stringify(workspace)}
     const host = dockerHost(${JSON.stringify(docker.options({ directory }))})
     ${script}`,
  ]
}

describe("a container's snapshot", () => {
  it("C18: is a layer for all sandboxes made of it, which goes with the last, and no volume stays", async () => {
    const host = docker.host()
    const source = await host.create({ name: "source" })
    await output(createWorkspace(source), "head -c 5000000 /dev/zero >big; echo t >/tmp/file")
    const snapshot = await source.snapshot()
    const forks = await Promise.all(
      [1, 2, 3].map(() => host.create({ name: "fork", from: snapshot })),
    )
    for (const fork of forks) {
      const printed = await output(createWorkspace(fork), "wc -c <big; cat /tmp/file; rm big; ls")
      expect(printed).toBe("5000000\nt\n")
    }
    expect(await readdir(join(docker.directory, "layers"))).toHaveLength(1)
    await Promise.all([source, ...forks].map((sandbox) => sandbox.destroy()))
    await host.removeSnapshot(snapshot)
    expect(await readdir(join(docker.directory, "layers"))).toEqual([])
    expect([await countVolumes(), await docker.countContainers()]).toEqual([0, 0])
  })

  it("C18: works where the names of directories have what separates a mount's options", async () => {
    const directory = join(docker.directory, "a,b:c\\d e")
    await mkdir(directory)
    const host = docker.host({ directory })
    const source = await host.create({ name: "source" })
    await output(createWorkspace(source), "echo x >file")
    const snapshot = await source.snapshot()
    expect(await output(createWorkspace(source), "cat file; echo y >>file; cat file")).toBe(
      "x\nx\ny\n",
    )
    await source.destroy()
    await host.removeSnapshot(snapshot)
  })

  it("C8, O29: of a kept sandbox is found again after a kill -9, and nothing else is left", async () => {
    const directory = join(docker.directory, "killed")
    await mkdir(directory)
    const script = `
      const lost = await host.create({ name: "lost" })
      await host.removeSnapshot(await lost.snapshot())
      await createWorkspace(lost).exec("echo lost >file")
      const kept = await host.create({ name: "kept", keptAs: "work" })
      await createWorkspace(kept).exec("echo one >file; echo x >gone")
      const snapshot = await kept.snapshot()
      await createWorkspace(kept).exec("echo two >>file; rm gone")
      console.log(snapshot)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, otherToolkeep(script, directory), {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const [said] = await once(child.stdout, "data")
    const snapshot = String(said).trim()
    child.kill("SIGKILL")
    await once(child, "exit")
    const host = docker.host({ directory })
    const kept = await host.create({ name: "kept", keptAs: "work" })
    expect(await output(createWorkspace(kept), "cat file; ls")).toBe("one\ntwo\nfile\n")
    const fork = await host.create({ name: "fork", from: snapshot })
    expect(await output(createWorkspace(fork), "cat file gone")).toBe("one\nx\n")
    expect(await readdir(join(directory, "layers"))).toHaveLength(1)
    await Promise.all([kept.destroy(), fork.destroy()])
    await host.removeSnapshot(snapshot)
    expect(await readdir(join(directory, "layers"))).toEqual([])
    await expect
      .poll(async () => [await countVolumes(), await docker.countContainers()])
      .toEqual([0, 0])
  })

  it("O30: is taken, made deep and removed by a Toolkeep that is not root", async () => {
    const user = 54_321
    const directory = await mkdtemp(join(tmpdir(), "toolkeep-docker-user-"))
    const { socketPath } = docker.engine
    if (process.getuid?.() === 0) {
      await chown(directory, user, user)
      await promisify(execFile)("chmod", ["o+rwx", join(socketPath, "..")])
      await promisify(execFile)("chmod", ["o+rw", socketPath])
    }
    const script = `
      if (process.getuid() === 0) { process.setgroups([]); process.setgid(${user}); process.setuid(${user}) }
      const sandbox = await host.create({ name: "one" })
      const workspace = createWorkspace(sandbox)
      const ids = []
      for (let n = 0; n < 14; n += 1) {
        await workspace.exec("echo " + n + " >f" + n + "; rm -f f" + (n - 2) + "; mkdir d" + n + "; chmod 0 d" + n)
        ids.push(await sandbox.snapshot())
      }
      const fork = await host.create({ name: "two", from: ids.at(-1) })
      const { stdout } = await createWorkspace(fork).exec("rm f12; cat f*; ls -d d* | wc -l")
      await Promise.all([sandbox.destroy(), fork.destroy()])
      for (const id of ids) await host.removeSnapshot(id)
      console.log(JSON.stringify({ user: process.getuid(), stdout }))`
    const { stdout } = await promisify(execFile)(process.execPath, otherToolkeep(script, directory))
    expect(JSON.parse(stdout)).toEqual({ user, stdout: "13\n14\n" })
    expect(await readdir(join(directory, "layers"))).toEqual([])
    expect((await readdir(directory)).filter((name) => name.startsWith("sandbox_"))).toEqual([])
    await rm(directory, { recursive: true })
  }, 120_000)
})
