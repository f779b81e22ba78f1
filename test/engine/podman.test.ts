import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readdir, rm, symlink } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { Network, Workspace } from "../../src/contract/index.ts"
import { createWorkspace, type Sandbox, type SandboxSpec } from "../../src/sandbox/index.ts"
import { runCli } from "../e2e/run-cli.ts"
import { makeBusyboxRoot } from "../images/busybox-root.ts"
import { inTime } from "../support/in-time.ts"
import { openStandIn } from "../support/sandbox/stand-in-fixture.ts"
import { type DockerFixture, openDocker, output } from "./docker-fixture.ts"
import { emptyImage, importDirectory, testImage } from "./import-images.ts"
import { startPodman } from "./start-podman.ts"

/** Containers take long to start where many tests share a slow machine. */
const slowMs = 120_000

let podman: DockerFixture

beforeAll(async () => {
  podman = await openDocker(startPodman)
}, slowMs)

afterAll(() => podman[Symbol.asyncDispose](), slowMs)

async function open(
  spec: Partial<SandboxSpec> = {},
  host = podman.host(),
): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  const sandbox = await host.create({ name: "test", ...spec })
  onTestFinished(() => sandbox.destroy())
  return { sandbox, workspace: createWorkspace(sandbox) }
}

const countVolumes = async () => (await podman.engine.docker.listVolumes()).Volumes?.length ?? 0

describe("a container of Podman", () => {
  it(
    "F21, Y16: runs commands with streams of their own, keeps files, and ends processes with all they started",
    async () => {
      const { sandbox, workspace } = await open()
      expect(await workspace.exec("echo out; echo err >&2; exit 3")).toMatchObject({
        exitCode: 3,
        stdout: "out\n",
        stderr: "err\n",
      })
      await workspace.writeFile("deep/a file", "written", { mode: 0o640 })
      await workspace.copy("deep", "copied")
      expect(await workspace.readFile("copied/a file")).toBe("written")
      expect(await output(workspace, "stat -c '%a %U' 'deep/a file'; rm -r deep; ls")).toBe(
        "640 user\ncopied\n",
      )
      const late = workspace.exec("(setsid sleep 3210 &); sleep 3210", { timeoutMs: 300 })
      expect(await late).toMatchObject({ ending: { kind: "timed-out" } })
      // What was killed takes its time to be gone where the machine is busy.
      await expect.poll(() => output(workspace, "pgrep -fc '[s]leep 3210'")).toBe("0\n")
      await sandbox.sleep()
      expect(await output(workspace, "cat 'copied/a file'")).toBe("written")
    },
    slowMs,
  )

  it(
    "F21, Y16: goes on without its engine, and is there when the engine is back",
    async () => {
      const { sandbox, workspace } = await open()
      const running = workspace.exec("until [ -e stop ]; do sleep 0.05; done; echo went on; exit 3")
      await podman.engine.kill()
      await workspace.writeFile("stop", "")
      expect(await running).toMatchObject({ exitCode: 3, stdout: "went on\n" })
      await expect(podman.host().create({ name: "test" })).rejects.toMatchObject({
        kind: "unavailable",
        message: expect.stringContaining("does not answer at"),
      })
      await podman.engine.restart()
      await sandbox.sleep()
      expect(await output(workspace, "ls")).toBe("stop\n")
    },
    slowMs,
  )

  it(
    "O30: is held to its memory, processes and processors by the kernel",
    async () => {
      const limits = { memoryBytes: 64 * 2 ** 20, processes: 64, processors: 0.5 }
      const { workspace } = await open({ limits })
      const [container] = await podman.engine.docker.listContainers()
      const { HostConfig } = await podman.engine.docker.getContainer(container?.Id ?? "").inspect()
      expect(HostConfig).toMatchObject({
        Memory: limits.memoryBytes,
        MemorySwap: limits.memoryBytes,
        PidsLimit: 64,
        NanoCpus: 5e8,
      })
      const first = (...files: string[]) =>
        output(workspace, `cd /sys/fs/cgroup; cat ${files.join(" 2>/dev/null || cat ")}`)
      expect(await first("memory/memory.limit_in_bytes", "memory.max")).toBe(
        `${limits.memoryBytes}\n`,
      )
      expect(await first("pids/pids.max", "pids.max")).toBe("64\n")
      expect(await first("cpu/cpu.cfs_quota_us", "cpu.max")).toMatch(/^50000( 100000)?\n$/)
      const taken = `head -c 100M /dev/zero | tail -c 100M >/dev/null; echo "\${PIPESTATUS[1]}"`
      expect(await output(workspace, taken)).toMatch(/^137\n/)
      const bomb = "bomb() { bomb | bomb & }; bomb; sleep 600"
      await inTime(async (timeoutMs) => {
        expect((await workspace.exec(bomb, { timeoutMs })).stderr).toContain("unavailable")
      }, 1_000)
      expect(await output(workspace, "echo alive")).toBe("alive\n")
    },
    slowMs,
  )

  it(
    "Y16, C18: is no root, has no capabilities, runs under our filter, and can write its home and tmp only",
    async () => {
      const { workspace } = await open()
      const status = "grep -E '^(CapPrm|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status"
      expect((await output(workspace, status)).split(/\s+/)).toEqual([
        ...["CapPrm:", "0000000000000000", "CapBnd:", "0000000000000000"],
        ...["CapAmb:", "0000000000000000", "NoNewPrivs:", "1", "Seccomp:", "2", ""],
      ])
      // Podman's own filter lets it.
      const trace = "import ctypes; print(ctypes.CDLL(None).ptrace(0, 0, 0, 0))"
      expect(await output(workspace, `python3 -c '${trace}'`)).toBe("-1\n")
      expect(await output(workspace, "unshare -r true")).toContain("Operation not permitted")
      for (const path of ["/new", "/usr/new", "/run/new", "/run/toolkeep/new", "/var/tmp/new"]) {
        expect(await output(workspace, `echo x >${path}`)).toMatch(/Read-only|Permission denied/)
      }
      expect(await output(workspace, "echo a >~/a; echo b >/tmp/b; cat ~/a /tmp/b")).toBe("a\nb\n")
    },
    slowMs,
  )

  it(
    "C18, Y16: has no network, or reaches the domains that are allowed and no other",
    async () => {
      await using standIn = await openStandIn()
      const host = podman.host({ dialer: standIn.dialer })
      const { sandbox, workspace } = await open({}, host)
      expect(await output(workspace, "ls /sys/class/net")).toBe("lo\n")
      expect(await output(workspace, "cat </dev/tcp/1.1.1.1/443")).toContain("unreachable")
      const allowed: Network = { kind: "allow-list", domains: ["allowed.example"] }
      await sandbox.setNetwork(allowed)
      expect(await output(workspace, "curl -sSk https://allowed.example/x")).toContain(
        "GET allowed",
      )
      expect(await output(workspace, "curl -sS http://other.example/")).toContain("allow-list")
      expect(await output(workspace, "cat </dev/tcp/1.1.1.1/443")).toContain("unreachable")
    },
    slowMs,
  )

  it(
    "C18: is forked from a snapshot in a home that is its user's, and no volume stays",
    async () => {
      const host = podman.host()
      const { sandbox, workspace } = await open({}, host)
      await output(workspace, "echo one >file; mkdir d; echo x >d/gone")
      const snapshot = await sandbox.snapshot()
      // The image has a directory at the place of the home, which is root's.
      expect(await output(workspace, "echo two >>file; rm -r d; cat file")).toBe("one\ntwo\n")
      const fork = await open({ from: snapshot }, host)
      expect(await output(fork.workspace, "cat file d/gone; echo own >own; stat -c %U . own")).toBe(
        "one\nx\nuser\nuser\n",
      )
      expect(await countVolumes()).toBe(2)
      await fork.sandbox.sleep()
      expect(await output(fork.workspace, "cat own")).toBe("own\n")
      await Promise.all([sandbox.destroy(), fork.sandbox.destroy()])
      await host.removeSnapshot(snapshot)
      expect([await countVolumes(), await podman.countContainers()]).toEqual([0, 0])
    },
    slowMs,
  )

  it(
    "C8, O29: of a Toolkeep that was killed ends with it, and the next one removes what else is left",
    async () => {
      const directory = join(podman.directory, "killed")
      await mkdir(directory)
      const script = `
      import { dockerHost } from ${JSON.stringify(import.meta.resolve("../../src/sandbox/hosts/docker/docker-host.ts"))}
      import { createWorkspace } from ${JSON.stringify(import.meta.resolve("../../src/sandbox/workspace/create-workspace.ts"))}
      const host = dockerHost(${JSON.stringify(podman.options({ directory }))})
      const lost = await host.create({ name: "lost" })
      await createWorkspace(lost).exec("echo lost >file")
      await lost.snapshot()
      await createWorkspace(lost).exec("echo more >>file")
      console.log("made")
      setInterval(() => {}, 1000)`
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      await once(child.stdout, "data")
      expect([await podman.countContainers(), await countVolumes()]).toEqual([1, 1])
      child.kill("SIGKILL")
      await expect.poll(podman.countContainers).toBe(0)
      await open({}, podman.host({ directory }))
      expect([await podman.countContainers(), await countVolumes()]).toEqual([1, 0])
      const left = (await readdir(directory)).filter((name) => name.startsWith("sandbox_"))
      expect(left).toHaveLength(1)
    },
    slowMs,
  )
})

describe("an engine that DOCKER_HOST names", () => {
  it(
    "Y16: is found, and doctor and auto say that it is Podman",
    async () => {
      const { docker, socketPath } = podman.engine
      const root = await makeBusyboxRoot(join(podman.directory, "busybox"))
      const image = "toolkeep-busybox:latest"
      await importDirectory(docker, root, image)
      onTestFinished(() => docker.getImage(image).remove())
      const PATH = await programsWithout("bwrap", join(podman.directory, "programs"))
      const { stdout } = await runCli(["doctor"], {
        environment: { DOCKER_HOST: `unix://${socketPath}`, TOOLKEEP_IMAGE: image, PATH },
        home: join(podman.directory, "home"),
      })
      const { auto, hosts } = JSON.parse(stdout)
      const named = expect.stringMatching(/^Podman [\d.]+ at \/.*\/engine\.sock$/)
      expect(hosts).toContainEqual(
        expect.objectContaining({
          host: "docker",
          status: { kind: "ready", detail: named },
          images: [image, emptyImage, testImage],
        }),
      )
      const why =
        /^it is the best host that works here, with Podman .+; bubblewrap does not: There is/
      expect(auto).toEqual({ host: "docker", why: expect.stringMatching(why) })
    },
    slowMs,
  )
})

/** A directory of all this machine's usual programs but one. */
async function programsWithout(name: string, directory: string): Promise<string> {
  await mkdir(directory)
  const names = (await readdir("/usr/bin")).filter((found) => found !== name)
  await Promise.all(names.map((found) => symlink(`/usr/bin/${found}`, join(directory, found))))
  return directory
}

describe("what Podman can't do", () => {
  it(
    "Y16: is refused in words: an image that it lacks, another runtime, a path that it would misread",
    async () => {
      const host = podman.host()
      for (const [image, remedy] of [
        ["alpine", ': run "podman pull alpine" first'],
        ["not a name", ""],
      ] as const) {
        await expect(host.create({ name: "test", image })).rejects.toMatchObject({
          kind: "invalid_args",
          message: `The container engine has no image ${JSON.stringify(image)}, and none is pulled${remedy}.`,
          expected: `one of: ${emptyImage}, ${testImage}`,
        })
      }
      const otherRuntime = podman.host({ runtime: "runsc" })
      await expect(otherRuntime.create({ name: "test" })).rejects.toMatchObject({
        kind: "unavailable",
        message: expect.stringContaining(
          "with the runtime it was started with (runc), and not with runsc",
        ),
      })
      const directory = join(podman.directory, "a,b")
      onTestFinished(() => rm(directory, { recursive: true }))
      await expect(podman.host({ directory }).create({ name: "test" })).rejects.toMatchObject({
        kind: "unavailable",
        message: expect.stringContaining("its path has a comma"),
      })
      expect(await podman.countContainers()).toBe(0)
    },
    slowMs,
  )
})
