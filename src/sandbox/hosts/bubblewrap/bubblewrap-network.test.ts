import { chmod, mkdtemp, readdir, rm } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import {
  openStandIn,
  publicAddress,
  type StandIn,
} from "../../../../test/support/sandbox/stand-in-fixture.ts"
import type { Network, Workspace } from "../../../contract/index.ts"
import type { Host, Sandbox } from "../../host/host.ts"
import { networkLimits } from "../../limits.ts"
import { createWorkspace } from "../../workspace/create-workspace.ts"
import { bubblewrapHost } from "./bubblewrap-host.ts"

let standIn: StandIn
let directory: string
let host: Host

beforeAll(async () => {
  standIn = await openStandIn()
  // Longer than a socket's name may be.
  directory = await mkdtemp(join(tmpdir(), `toolkeep-network-${"x".repeat(100)}-`))
  await chmod(directory, 0o755)
  host = bubblewrapHost({ directory, dialer: standIn.dialer })
})

afterAll(async () => {
  await standIn[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

beforeEach(() => {
  standIn.decisions.length = 0
})

const allow = (...domains: string[]): Network => ({ kind: "allow-list", domains })

async function open(network: Network): Promise<{ sandbox: Sandbox; workspace: Workspace }> {
  const onNetwork = (decision: (typeof standIn.decisions)[number]) => {
    standIn.decisions.push(decision)
  }
  const sandbox = await host.create({ name: "test", network, onNetwork })
  onTestFinished(() => sandbox.destroy())
  return { sandbox, workspace: createWorkspace(sandbox) }
}

async function print(workspace: Workspace, command: string): Promise<string> {
  const { stdout, stderr } = await workspace.exec(command, { timeoutMs: 100_000 })
  return stdout + stderr
}

const refusal = "nothing on the allow-list matches"

describe("the network of a bubblewrap sandbox", () => {
  it("C18.restrict: HTTP and HTTPS reach an allowed domain and no other, and every decision is heard", async () => {
    const { workspace } = await open(allow("allowed.example"))
    expect(await print(workspace, "curl -sS http://allowed.example/plain")).toBe(
      "GET allowed.example /plain \n",
    )
    expect(await print(workspace, "curl -sSk https://allowed.example/secure -d body")).toBe(
      "POST allowed.example /secure body\n",
    )
    expect(await print(workspace, "curl -sS http://other.example/")).toBe(
      `The sandbox's network refuses other.example:80: ${refusal}.\n`,
    )
    expect(await print(workspace, "curl -sSk https://other.example/")).toContain("response 403")
    expect(standIn.decisions).toEqual([
      { target: "allowed.example", port: 80, allowed: true, rule: "allowed.example" },
      { target: "allowed.example", port: 443, allowed: true, rule: "allowed.example" },
      { target: "other.example", port: 80, allowed: false, rule: refusal },
      { target: "other.example", port: 443, allowed: false, rule: refusal },
    ])
    expect(standIn.reached).toEqual([`${publicAddress}:80`, `${publicAddress}:443`])
  })

  it("C18: commands are told of the proxy unless they are given another, and servers inside need none", async () => {
    const { workspace } = await open(allow("allowed.example"))
    const proxy = `http://127.0.0.1:${networkLimits.port}`
    const shown = 'echo "$HTTP_PROXY $HTTPS_PROXY $http_proxy $https_proxy $NO_PROXY $no_proxy"'
    expect(await print(workspace, shown)).toBe(
      `${`${proxy} `.repeat(4)}localhost,127.0.0.1,::1 localhost,127.0.0.1,::1\n`,
    )
    const own = await workspace.exec('echo "$HTTP_PROXY $http_proxy"', {
      env: { HTTP_PROXY: "http://other:1" },
    })
    expect(own.stdout).toBe(`http://other:1 ${proxy}\n`)
    const local = await print(
      workspace,
      "curl -sS http://127.0.0.1:9/; curl -sS http://localhost:9/",
    )
    expect(local.match(/Failed to connect|Could not connect/g)).toHaveLength(2)
    expect(standIn.decisions).toEqual([])
  })

  it("C18, Y16: changes on a running sandbox while its processes go on", async () => {
    const { sandbox, workspace } = await open({ kind: "none" })
    const running = workspace.exec("until [ -e stop ]; do sleep 0.05; done; echo went on", {
      timeoutMs: 100_000,
    })
    const ask = 'curl -sS http://allowed.example/; echo "proxy: $HTTP_PROXY"'
    const unreached = expect.stringMatching(/proxy: \n.*Could not resolve host/s)
    expect(await print(workspace, ask)).toEqual(unreached)
    for (let round = 0; round < 3; round += 1) {
      await sandbox.setNetwork(allow("allowed.example"))
      expect(await print(workspace, ask)).toContain("GET allowed.example / \n")
      await sandbox.setNetwork(allow("*.allowed.example"))
      expect(await print(workspace, ask)).toContain(refusal)
      await sandbox.setNetwork({ kind: "none" })
      expect(await print(workspace, ask)).toEqual(unreached)
    }
    await workspace.writeFile("stop", "")
    expect((await running).stdout).toBe("went on\n")
  })

  it("C18: a change ends connections to what is no longer allowed", async () => {
    const { sandbox, workspace } = await open(allow("allowed.example"))
    const reading = workspace.exec("curl -sSN http://allowed.example/slow", { timeoutMs: 100_000 })
    await expect.poll(() => standIn.asked.at(-1)?.message.url).toBe("/slow")
    await sandbox.setNetwork(allow("other.example"))
    const { exitCode, ending } = await reading
    expect([exitCode, ending.kind]).toEqual([18, "exited"])
  })

  it("C18: an allow-list outlives sleep, and the end of the agent", async () => {
    const { sandbox, workspace } = await open(allow("allowed.example"))
    await sandbox.sleep()
    expect(await print(workspace, "curl -sS http://allowed.example/")).toContain("GET allowed")
    await workspace.exec("kill -KILL -1 2>/dev/null; kill -KILL $PPID").catch(() => {})
    expect(await print(workspace, "curl -sS http://allowed.example/")).toContain("GET allowed")
    await sandbox.sleep()
    await sandbox.setNetwork({ kind: "none" })
    expect(await print(workspace, "curl -sS http://allowed.example/")).toContain("not resolve")
  })

  it("C18: the full network is this machine's; giving and taking it ends processes and keeps files", async () => {
    const { sandbox, workspace } = await open({ kind: "none" })
    await workspace.writeFile("/tmp/kept", "kept")
    const interfaces = "tail -n +3 /proc/net/dev | grep -c :"
    expect(await print(workspace, interfaces)).toBe("1\n")
    const server = createServer((socket) => socket.end("the machine's\n"))
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const reach = `cat </dev/tcp/127.0.0.1/${port}`
    expect(await print(workspace, reach)).toContain("Connection refused")
    await sandbox.setNetwork({ kind: "full" })
    expect(await print(workspace, 'cat /tmp/kept; echo " $HTTP_PROXY"')).toBe("kept \n")
    expect(await print(workspace, reach)).toBe("the machine's\n")
    await sandbox.setNetwork(allow("allowed.example"))
    expect(await print(workspace, interfaces)).toBe("1\n")
    expect(await print(workspace, reach)).toContain("Connection refused")
    expect(await print(workspace, "curl -sS http://allowed.example/")).toContain("GET allowed")
  })

  it("C18: refuses malformed rules before anything is made or changed", async () => {
    const wrong = { kind: "invalid_args", field: "network.domains" }
    const before = await readdir(directory)
    await expect(open(allow("https://allowed.example"))).rejects.toMatchObject(wrong)
    expect(await readdir(directory)).toEqual(before)
    const { sandbox, workspace } = await open(allow("allowed.example"))
    await expect(sandbox.setNetwork(allow("*"))).rejects.toMatchObject(wrong)
    expect(await print(workspace, "curl -sS http://allowed.example/")).toContain("GET allowed")
  })

  it("C18: of many changes at once the last one holds", async () => {
    const { sandbox, workspace } = await open({ kind: "none" })
    const changes: Network[] = [
      ...[allow("allowed.example"), { kind: "none" } as const, allow("other.example")],
      ...[{ kind: "full" } as const, allow("other.example"), allow("allowed.example")],
    ]
    await Promise.all(changes.map((network) => sandbox.setNetwork(network)))
    expect(await print(workspace, "curl -sS http://allowed.example/")).toContain("GET allowed")
    expect(await print(workspace, "tail -n +3 /proc/net/dev | grep -c :")).toBe("1\n")
    await sandbox.setNetwork({ kind: "none" })
    await Promise.all([sandbox.setNetwork(allow("allowed.example")), sandbox.sleep()])
    expect(await print(workspace, "curl -sS http://allowed.example/")).toContain("GET allowed")
  })

  it("C18: without a way to the proxy a change fails, says why, and leaves the sandbox as it was", async () => {
    const { sandbox, workspace } = await open({ kind: "none" })
    const taken = `perl -MIO::Socket::INET -e '
      $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:${networkLimits.port}", Listen => 1) or die $!;
      exit if fork; close STDOUT; close STDERR; sleep 60'`
    await workspace.exec(taken)
    await expect(sandbox.setNetwork(allow("allowed.example"))).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("EADDRINUSE"),
    })
    expect(await print(workspace, 'echo "$HTTP_PROXY"; ls /run/toolkeep/proxy')).toContain(
      "No such",
    )
    await workspace.exec("pkill perl")
    await sandbox.setNetwork(allow("allowed.example"))
    expect(await print(workspace, "curl -sS http://allowed.example/")).toContain("GET allowed")
  })

  it("C18: a destroyed sandbox leaves no socket, and its network can't be changed", async () => {
    const { sandbox } = await open(allow("allowed.example"))
    await sandbox.destroy()
    await expect(sandbox.setNetwork({ kind: "none" })).rejects.toMatchObject({
      kind: "unavailable",
    })
    expect((await readdir(directory)).filter((name) => name.startsWith("sandbox"))).toEqual([])
  })
})
