import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { type DockerFixture, openDocker, output } from "./docker-fixture.ts"
import { startEngine } from "./start-engine.ts"

let docker: DockerFixture

beforeAll(async () => {
  docker = await openDocker()
}, 120_000)

afterAll(() => docker[Symbol.asyncDispose]())

describe("a container's wall", () => {
  it("Y16.docker: commands are no root, have no capabilities, and run under seccomp without new privileges", async () => {
    const workspace = await docker.workspace()
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

  it("Y16.docker, C18: nothing but home and tmp can be written, and there is no network but the container's own", async () => {
    const workspace = await docker.workspace()
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

  it("C18.files: two sandboxes share no files, no processes and no user", async () => {
    const [one, other] = [await docker.workspace(), await docker.workspace()]
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
    const sandbox = await docker.host({ socketPath, runtime: "faithful" }).create({ name: "test" })
    await sandbox.destroy()
    const unsafe = docker.host({ socketPath, runtime: "forgetful" }).create({ name: "test" })
    await expect(unsafe).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("has to start it with seccomp"),
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
