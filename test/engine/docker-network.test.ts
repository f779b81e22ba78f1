import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import type { Network, Workspace } from "../../src/contract/index.ts"
import { createWorkspace, type Sandbox } from "../../src/sandbox/index.ts"
import { openStandIn, publicAddress, type StandIn } from "../support/sandbox/stand-in-fixture.ts"
import { type DockerFixture, openDocker, output } from "./docker-fixture.ts"
import { type Bridge, makeBridge } from "./make-bridge.ts"
import { startEngine } from "./start-engine.ts"

let bridge: Bridge
let docker: DockerFixture
let standIn: StandIn

beforeAll(async () => {
  bridge = await makeBridge()
  ;[docker, standIn] = await Promise.all([
    openDocker(() => startEngine({ bridge: bridge.name })),
    openStandIn(),
  ])
}, 120_000)

afterAll(async () => {
  await standIn[Symbol.asyncDispose]()
  await docker[Symbol.asyncDispose]()
  await bridge[Symbol.asyncDispose]()
}, 120_000)

beforeEach(() => {
  standIn.decisions.length = 0
})

const allow = (...domains: string[]): Network => ({ kind: "allow-list", domains })

async function open(network: Network): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  const host = docker.host({ dialer: standIn.dialer })
  const onNetwork = (decision: (typeof standIn.decisions)[number]) => {
    standIn.decisions.push(decision)
  }
  const sandbox = await host.create({ name: "test", network, onNetwork })
  onTestFinished(() => sandbox.destroy())
  return { sandbox, workspace: createWorkspace(sandbox) }
}

const refusal = "nothing on the allow-list matches"

describe("the network of a container", () => {
  it("C18, Y16: HTTP and HTTPS reach an allowed domain and no other, and every decision is heard", async () => {
    const { workspace } = await open(allow("allowed.example"))
    expect(await output(workspace, "curl -sS http://allowed.example/plain")).toBe(
      "GET allowed.example /plain \n",
    )
    expect(await output(workspace, "curl -sSk https://allowed.example/secure -d body")).toBe(
      "POST allowed.example /secure body\n",
    )
    expect(await output(workspace, "curl -sS http://other.example/")).toContain(refusal)
    expect(await output(workspace, "curl -sSk https://other.example/")).toContain("response 403")
    expect(standIn.decisions).toEqual([
      { target: "allowed.example", port: 80, allowed: true, rule: "allowed.example" },
      { target: "allowed.example", port: 443, allowed: true, rule: "allowed.example" },
      { target: "other.example", port: 80, allowed: false, rule: refusal },
      { target: "other.example", port: 443, allowed: false, rule: refusal },
    ])
    expect(standIn.reached).toEqual([`${publicAddress}:80`, `${publicAddress}:443`])
    expect(await output(workspace, "tail -n +3 /proc/net/dev | grep -c :")).toBe("1\n")
    const direct = await output(workspace, "cat </dev/tcp/1.1.1.1/443")
    expect(direct).toContain("Network is unreachable")
  })

  it("C18, Y16: changes on a running container while its processes go on", async () => {
    const { sandbox, workspace } = await open({ kind: "none" })
    const running = workspace.exec("until [ -e stop ]; do sleep 0.05; done; echo went on", {
      timeoutMs: 60_000,
    })
    const ask = "curl -sS http://allowed.example/"
    await sandbox.setNetwork(allow("allowed.example"))
    expect(await output(workspace, ask)).toContain("GET allowed.example / \n")
    await sandbox.setNetwork(allow("other.example"))
    expect(await output(workspace, ask)).toContain(refusal)
    await sandbox.setNetwork({ kind: "none" })
    expect(await output(workspace, ask)).toContain("Could not resolve host")
    await workspace.writeFile("stop", "")
    expect((await running).stdout).toBe("went on\n")
  })

  it("C18: an allow-list outlives sleep, and the relay inside is started again when it is killed", async () => {
    const { sandbox, workspace } = await open(allow("allowed.example"))
    await sandbox.sleep()
    const ask = "curl -sS http://allowed.example/"
    expect(await output(workspace, ask)).toContain("GET allowed")
    await output(workspace, "pkill -KILL -f toolkeep-bin/node")
    await expect.poll(() => output(workspace, ask)).toContain("GET allowed")
  })

  it("C18: the full network is the engine's bridge; giving and taking it keeps the files", async () => {
    const server = await open({ kind: "full" })
    await server.workspace.processes.start(
      "socat TCP-LISTEN:8080,fork,reuseaddr SYSTEM:'echo hello'",
    )
    const address = (await output(server.workspace, "hostname -I")).trim()
    expect(address).toMatch(/^10\.213\./)
    const ask = `cat </dev/tcp/${address}/8080`
    const { sandbox, workspace } = await open({ kind: "none" })
    await workspace.writeFile("/tmp/kept", "kept")
    expect(await output(workspace, ask)).toContain("Network is unreachable")
    await sandbox.setNetwork({ kind: "full" })
    expect(await output(workspace, "cat /tmp/kept")).toBe("kept")
    await expect.poll(() => output(workspace, ask)).toBe("hello\n")
    await sandbox.setNetwork(allow("allowed.example"))
    expect(await output(workspace, ask)).toContain("Network is unreachable")
    await sandbox.setNetwork({ kind: "none" })
    expect(await output(workspace, "cat /tmp/kept")).toBe("kept")
    expect(await output(workspace, ask)).toContain("Network is unreachable")
  })
})
