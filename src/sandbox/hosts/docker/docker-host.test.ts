import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { emptyImage, testBinds, testImage } from "../../../../test/engine/import-images.ts"
import { startEngine, type TestEngine } from "../../../../test/engine/start-engine.ts"
import { limits, type Workspace } from "../../../contract/index.ts"
import { runConformance } from "../../../testing/index.ts"
import { createWorkspace } from "../../create-workspace.ts"
import { type DockerHostOptions, dockerHost } from "./docker-host.ts"
import { ownerOf } from "./owner.ts"

let engine: TestEngine
let directory: string

beforeAll(async () => {
  engine = await startEngine()
  directory = await mkdtemp(join(tmpdir(), "toolkeep-docker-"))
}, 60_000)

afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
}, 60_000)

function hostWith(options: Partial<DockerHostOptions> = {}) {
  const { socketPath } = engine
  return dockerHost({ image: testImage, binds: testBinds, directory, socketPath, ...options })
}

async function workspaceOf(options: Partial<DockerHostOptions> = {}): Promise<Workspace> {
  const sandbox = await hostWith(options).create({ name: "test" })
  onTestFinished(() => sandbox.destroy())
  return createWorkspace(sandbox)
}

async function output(workspace: Workspace, command: string): Promise<string> {
  const { stdout, stderr } = await workspace.exec(command, { timeoutMs: 20_000 })
  return stdout + stderr
}

const containers = async () => (await engine.docker.listContainers({ all: true })).length

describe("a container's wall", () => {
  it("Y16: commands are no root, have no capabilities, and run under seccomp without new privileges", async () => {
    const workspace = await workspaceOf()
    const status = await output(
      workspace,
      "grep -E '^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status",
    )
    const none = "0000000000000000"
    expect(status.trim().split(/\s+/)).toEqual([
      ...["CapInh:", none, "CapPrm:", none, "CapEff:", none, "CapBnd:", none, "CapAmb:", none],
      ...["NoNewPrivs:", "1", "Seccomp:", "2"],
    ])
    expect(Number(await output(workspace, "id -u"))).toBeGreaterThanOrEqual(1000)
    expect(await output(workspace, "id -un; id -gn; cd ~; pwd")).toBe("user\nuser\n/home/user\n")
    expect(await output(workspace, "unshare -r true")).toContain("Operation not permitted")
    expect(await workspace.exec("mount -t tmpfs x /tmp")).not.toMatchObject({ exitCode: 0 })
  })

  it("Y16, C18: nothing but home and tmp can be written, and there is no network but the container's own", async () => {
    const workspace = await workspaceOf()
    const places = [
      "/new",
      "/usr/new",
      "/etc/passwd",
      "/run/new",
      "/run/toolkeep/new",
      "/var/tmp/new",
    ]
    for (const path of places) {
      expect(await output(workspace, `echo x >${path}`)).toMatch(/Read-only|Permission denied/)
    }
    expect(await output(workspace, "echo a >~/a; echo b >/tmp/b; cat ~/a /tmp/b")).toBe("a\nb\n")
    expect(await output(workspace, "ls /sys/class/net")).toBe("lo\n")
    const reach = await workspace.exec("exec 3<>/dev/tcp/1.1.1.1/443", { timeoutMs: 5_000 })
    expect(reach).toMatchObject({ exitCode: 1, ending: { kind: "exited" } })
    expect(reach.stderr).toContain("Network is unreachable")
  })

  it("C18: two sandboxes share no files, no processes and no user", async () => {
    const [one, other] = [await workspaceOf(), await workspaceOf()]
    await one.writeFile("/tmp/secret", "s")
    await one.writeFile("secret", "s")
    expect(await other.exists("/tmp/secret")).toBe(false)
    expect(await other.readdir(".")).toEqual([])
    expect(await output(one, "id -u")).not.toBe(await output(other, "id -u"))
  })

  it("Y16: without seccomp no command is ever run", async () => {
    const place = await mkdtemp(join(tmpdir(), "toolkeep-runtimes-"))
    onTestFinished(() => rm(place, { recursive: true, force: true }))
    const faithful = { path: join(place, "faithful") }
    const forgetful = { path: join(place, "forgetful") }
    await writeFile(faithful.path, runtimeThat(""), { mode: 0o755 })
    await writeFile(forgetful.path, runtimeThat("delete config.linux.seccomp"), { mode: 0o755 })
    await using other = await startEngine({ runtimes: { faithful, forgetful } })
    const { socketPath } = other
    const sandbox = await hostWith({ socketPath, runtime: "faithful" }).create({ name: "test" })
    await sandbox.destroy()
    const unsafe = hostWith({ socketPath, runtime: "forgetful" }).create({ name: "test" })
    await expect(unsafe).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("The agent did not become ready."),
    })
    expect(await other.docker.listContainers({ all: true })).toEqual([])
  })
})

/** runc, after a change to what it is told. */
function runtimeThat(change: string): string {
  return `#!/bin/bash
for word; do
  if [[ $previous == --bundle ]]; then
    ${process.execPath} -e 'const fs = require("fs"); const path = process.argv[1] + "/config.json"
      const config = JSON.parse(fs.readFileSync(path)); ${change}
      fs.writeFileSync(path, JSON.stringify(config))' "$word"
  fi
  previous=$word
done
exec runc "$@"
`
}

describe("a container's limits", () => {
  it("O30: a fork bomb is held, can be ended, and leaves the sandbox usable", async () => {
    const workspace = await workspaceOf()
    const bomb = await workspace.exec("bomb() { bomb | bomb & }; bomb; sleep 30", {
      timeoutMs: 1_500,
    })
    expect(bomb).toMatchObject({ exitCode: 124, ending: { kind: "timed-out", afterMs: 1_500 } })
    expect(bomb.stderr).toContain("Resource temporarily unavailable")
    expect(await output(workspace, "echo alive")).toBe("alive\n")
    const file = "/sys/fs/cgroup/pids/pids.max"
    const max = await output(workspace, `cat ${file} 2>/dev/null || cat /sys/fs/cgroup/pids.max`)
    expect(Number(max)).toBe(limits.sandbox.processes)
  })

  it("O30: more memory than allowed ends the program that takes it, not the sandbox", async () => {
    const workspace = await workspaceOf()
    const enough = Math.floor(limits.sandbox.memoryBytes / 2 ** 20) + 200
    const taken = await workspace.exec(
      `head -c ${enough}M /dev/zero | tail -c ${enough}M >/dev/null; echo "\${PIPESTATUS[1]}"`,
      { timeoutMs: 60_000 },
    )
    expect(taken).toMatchObject({ exitCode: 0, stdout: "137\n", ending: { kind: "exited" } })
    expect(await output(workspace, "echo alive")).toBe("alive\n")
  }, 90_000)

  it("O30: the temporary directory is full before the memory is", async () => {
    const workspace = await workspaceOf()
    const size = await output(workspace, "df --output=size -B1 /tmp | tail -1")
    expect(Number(size)).toBe(limits.sandbox.temporaryBytes)
    const full = await workspace.exec("head -c 600M /dev/zero >/tmp/full")
    expect(full.stderr).toContain("No space left on device")
  })

  it("O30: the engine holds a container to processors, memory without swap, and processes", async () => {
    await workspaceOf()
    const [container] = await engine.docker.listContainers()
    const { HostConfig } = await engine.docker.getContainer(container?.Id ?? "").inspect()
    const { memoryBytes, processes, processors } = limits.sandbox
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
})

describe("a container's life", () => {
  it("Y16: destroying a sandbox removes its container, its volumes and its files", async () => {
    const [before, files] = [await containers(), await readdir(directory)]
    const sandbox = await hostWith().create({ name: "test" })
    expect(await containers()).toBe(before + 1)
    await createWorkspace(sandbox).exec("setsid sleep 1000 & echo x >file")
    await sandbox.destroy()
    await sandbox.destroy()
    expect(await containers()).toBe(before)
    expect((await readdir(directory)).filter((name) => name !== "shared")).toEqual(
      files.filter((name) => name !== "shared"),
    )
  })

  it("F21, Y16: orphans are taken in and reaped, and no command can end the agent", async () => {
    const workspace = await workspaceOf()
    await output(workspace, "(setsid true &); (sleep 0.05 &); kill -9 1; sleep 0.3")
    expect(await output(workspace, "grep -l '^State:.Z' /proc/[0-9]*/status")).toBe("")
    const all = workspace.exec("kill -9 -1; sleep 5")
    expect(await all).toMatchObject({ exitCode: 137, ending: { kind: "exited" } })
    expect(await output(workspace, "echo alive")).toBe("alive\n")
  })

  it("F21: a container that is killed answers what ran in it, and the next command finds its files", async () => {
    const workspace = await workspaceOf()
    await workspace.writeFile("kept", "still here")
    const running = workspace.exec("echo started; sleep 60")
    const outcome = expect(running).rejects.toMatchObject({ kind: "unavailable" })
    await new Promise((resume) => setTimeout(resume, 200))
    const [container] = await engine.docker.listContainers()
    await engine.docker.getContainer(container?.Id ?? "").kill()
    await outcome
    expect(await workspace.readFile("kept")).toBe("still here")
  })

  it("Y16: what a Toolkeep that was killed left behind is removed at the next first use", async () => {
    const owner = spawn("sleep", ["1000"])
    const dead = ownerOf(owner.pid ?? 0)
    const left = await engine.docker.createContainer({
      Image: testImage,
      Cmd: ["/bin/sleep", "1000"],
      HostConfig: { Binds: testBinds, NetworkMode: "none" },
      Labels: { "toolkeep.owner": dead },
    })
    await left.start()
    const files = join(directory, "sandbox_left")
    await mkdir(files)
    await writeFile(join(files, "owner"), dead)
    await workspaceOf()
    expect([existsSync(files), (await left.inspect()).State.Running]).toEqual([true, true])
    const exited = once(owner, "exit")
    owner.kill("SIGKILL")
    await exited
    await workspaceOf()
    await expect(left.inspect()).rejects.toMatchObject({ statusCode: 404 })
    expect(existsSync(files)).toBe(false)
  })

  it("Y16: a Toolkeep that is killed takes its containers with it", async () => {
    const before = await containers()
    const script = `import { dockerHost } from ${JSON.stringify(import.meta.resolve("./docker-host.ts"))}
      const host = dockerHost(${JSON.stringify({ image: testImage, binds: testBinds, directory, socketPath: engine.socketPath })})
      const sandbox = await host.create({ name: "test" })
      console.log("made")
      setInterval(() => {}, 1000)`
    const other = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    await once(other.stdout, "data")
    expect(await containers()).toBe(before + 1)
    other.kill("SIGKILL")
    await expect.poll(containers, { timeout: 10_000 }).toBe(before)
  })
})

describe("a container that can't be", () => {
  it("Y16: an image that the engine lacks is refused with the names of those it has, and nothing is pulled", async () => {
    const refused = hostWith({ image: "python:3.12" }).create({ name: "test" })
    await expect(refused).rejects.toMatchObject({
      kind: "invalid_args",
      message: 'The container engine has no image "python:3.12", and none is pulled.',
      field: "image",
      expected: `one of: ${emptyImage}, ${testImage}`,
    })
  })

  it("Y16: an image without bash, or without a program that is needed, says what it lacks", async () => {
    const noShell = hostWith({ image: emptyImage, binds: [] })
    await expect(noShell.create({ name: "test" })).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/"toolkeep-empty:latest".*It needs bash as \/bin\/bash/),
    })
    const programs = join(directory, "programs")
    await mkdir(programs)
    await copyFile("/bin/bash", join(programs, "bash"))
    onTestFinished(() => rm(programs, { recursive: true }))
    const onlyShell = hostWith({ binds: [...testBinds, `${programs}:/usr/bin:ro`] })
    await expect(onlyShell.create({ name: "test" })).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("It has no cat."),
    })
    expect(await onlyShell.probe()).toMatchObject({ kind: "unavailable" })
    expect(await containers()).toBe(0)
  })

  it("Y16: an engine that is not there is unavailable, with where it was looked for", async () => {
    const host = hostWith({ socketPath: "/tmp/toolkeep-nowhere.sock" })
    await expect(host.create({ name: "test" })).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("does not answer at /tmp/toolkeep-nowhere.sock"),
    })
    expect(await hostWith().probe()).toEqual({ kind: "ready" })
  })
})

describe("every promise", () => {
  it("F21, Y16: the docker host keeps every promise it makes", async () => {
    const { checks } = await runConformance(hostWith())
    const broken = checks.filter(({ kept }) => kept === false)
    expect(broken.map(({ id, how }) => `${id}: ${how}`)).toEqual([])
    const notPromised = checks.filter(({ kept }) => kept === null)
    expect(notPromised.map(({ id }) => id)).toEqual(["process-groups.destroy"])
  }, 240_000)
})

describe("an engine that dies", () => {
  it("F21, Y16: a running command still ends as it would have, and the sandbox goes with its engine away", async () => {
    await using mortal = await startEngine()
    const { socketPath } = mortal
    const host = hostWith({ socketPath })
    const sandbox = await host.create({ name: "test" })
    const doomed = await host.create({ name: "doomed" })
    const workspace = createWorkspace(sandbox)
    await workspace.writeFile("kept", "still here")
    const running = workspace.exec("sleep 1; echo done; exit 3")
    await mortal.kill()
    expect(await running).toMatchObject({ exitCode: 3, stdout: "done\n" })
    await doomed.destroy()
    await expect(host.create({ name: "another" })).rejects.toMatchObject({ kind: "unavailable" })

    const cut = workspace.exec("sleep 60")
    const outcome = expect(cut).rejects.toMatchObject({ kind: "unavailable" })
    await mortal.restart()
    await outcome
    expect(await workspace.readFile("kept")).toBe("still here")
    expect(await mortal.docker.listContainers({ all: true })).toHaveLength(1)
    await sandbox.destroy()
    expect(await mortal.docker.listContainers({ all: true })).toEqual([])
    const left = await readdir(directory)
    expect(left.filter((name) => name.startsWith("sandbox_"))).toEqual([])
  }, 60_000)
})
