import { totalmem } from "node:os"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import {
  createWorkspace,
  localHost,
  memoryHost,
  type SandboxSpec,
} from "../../src/sandbox/index.ts"
import { type AttackGround, openMcpFixture } from "./attack-ground.ts"

let ground: AttackGround
beforeEach(async () => {
  ground = await openMcpFixture()
})
afterEach(() => ground[Symbol.asyncDispose]())

const mebibyte = 1024 ** 2

async function open(limits: SandboxSpec["limits"]) {
  const sandbox = await ground.host.create({ name: "limited", limits })
  onTestFinished(() => sandbox.destroy())
  return createWorkspace(sandbox)
}

/** Without control groups a limit is refused, and not promised. */
const hasGroups = () => ground.host.can.limits.memoryBytes !== null

describe("limits of one sandbox", () => {
  it("O30.memory: memory is held to what was wished, beside a sandbox with more", async () => {
    if (!hasGroups()) return expect(open({ memoryBytes: 64 * mebibyte })).rejects.toThrow()
    const workspace = await open({ memoryBytes: 64 * mebibyte })
    expect(workspace.can.limits).toEqual({
      ...ground.host.can.limits,
      memoryBytes: 64 * mebibyte,
    })
    const take = `perl -e '$a = "x" x ${90 * mebibyte}; print "taken"'`
    expect((await workspace.exec(take)).exitCode).toBe(137)
    expect((await workspace.exec("echo on")).stdout).toBe("on\n")
    expect(await ground.print(take)).toBe("taken")
    const size = await workspace.exec("df --output=size -B1 /tmp | tail -1")
    expect(Number(size.stdout)).toBe(16 * mebibyte)
  })

  it("O30.processes, O30.cpu: processes and processors are held to what was wished", async () => {
    if (!hasGroups()) return expect(open({ processes: 64 })).rejects.toThrow()
    const workspace = await open({ processes: 64, processors: 0.25 })
    const storm = await workspace.exec(`perl -e '$n = 0; close STDERR;
      while ($n < 200) { $p = fork; last unless defined $p; if (!$p) { sleep 9; exit } $n++ }
      print $n; kill "KILL", -$$; kill "TERM", 0'`)
    expect(storm.stdout === "" || Number(storm.stdout) < 64).toBe(true)
    const other = await open({ processors: 0.25 })
    const busy = await other.exec("timeout 2 bash -c 'while :; do :; done'; times | tail -1")
    const [, minutes = "0", seconds = "9"] = /^(\d+)m([\d.]+)s/.exec(busy.stdout) ?? []
    expect(Number(minutes) * 60 + Number(seconds)).toBeLessThan(1)
  })

  it("O30: what is no limit, or one that the host can't keep, is refused by its name", async () => {
    const refusals: readonly (readonly [SandboxSpec["limits"], string])[] = [
      [{ memoryBytes: 0 }, "limits.memoryBytes"],
      [{ memoryBytes: Number.NaN }, "limits.memoryBytes"],
      [{ memoryBytes: 2 * totalmem() }, "limits.memoryBytes"],
      [{ memoryBytes: 64 * mebibyte + 0.5 }, "limits.memoryBytes"],
      [{ processes: -1 }, "limits.processes"],
      [{ processes: Number.POSITIVE_INFINITY }, "limits.processes"],
      [{ processors: 0 }, "limits.processors"],
      [{ processors: 10_000 }, "limits.processors"],
      [{ diskBytes: -5 }, "limits.diskBytes"],
    ]
    for (const [limits, field] of refusals) {
      await expect(open(limits)).rejects.toMatchObject({ kind: "invalid_args", field })
    }
    const local = localHost({ directoryFor: () => ground.directory })
    await expect(local.create({ name: "test", limits: { processes: 100 } })).rejects.toMatchObject({
      kind: "invalid_args",
      message: "The local host can't hold a sandbox to a limit of processes here.",
      field: "limits.processes",
    })
  })

  it("O30: a memory sandbox has the memory and the disk that were wished", async () => {
    const limits = { memoryBytes: 150 * mebibyte, diskBytes: 2 * mebibyte }
    const sandbox = await memoryHost().create({ name: "test", limits })
    onTestFinished(() => sandbox.destroy())
    expect(sandbox.can.limits).toEqual({ ...limits, processes: null, processors: null })
    const workspace = createWorkspace(sandbox)
    const refused = workspace.writeFile("large", "x".repeat(3 * mebibyte))
    await expect(refused).rejects.toMatchObject({ code: "no-space" })
    const hog = await workspace.exec("x=aaaaaaaa; while true; do x=$x$x; done")
    expect(hog.exitCode).not.toBe(0)
    expect((await workspace.exec("echo on")).stdout).toBe("on\n")
    await expect(memoryHost().create({ name: "test", limits: { processes: 64 } })).rejects.toThrow(
      "The memory host can't hold a sandbox to a limit of processes here.",
    )
  })
})
