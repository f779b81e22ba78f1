import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { systemClock } from "../../src/kit/index.ts"
import { openPipeStock } from "../../src/sandbox/agent/commands/pipe-stock.ts"
import { startAgent } from "../../src/sandbox/hosts/bubblewrap/bubblewrap-sandbox.ts"
import { prepareFiles } from "../../src/sandbox/hosts/bubblewrap/prepare-files.ts"
import { bubblewrapHost, createPool } from "../../src/sandbox/index.ts"
import { numbers } from "../../src/sandbox/kernel/syscalls.ts"
import { type AttackGround, openMcpFixture } from "./attack-ground.ts"
import { attackCalls } from "./call-attacks.ts"
import { attackKernel } from "./kernel-attacks.ts"
import { architecture, refused, systemCall } from "./system-call.ts"

let ground: AttackGround
beforeAll(async () => {
  ground = await openMcpFixture()
})
afterAll(() => ground[Symbol.asyncDispose]())

describe("ways through the kernel, from bubblewrap", () => attackKernel(openMcpFixture))

describe("system calls that kernels were broken through, from bubblewrap", () =>
  attackCalls(openMcpFixture))

describe("a sandbox whose wall is not whole", () => {
  it("C18: starts without a seccomp filter, with half of one and with one that is none", async () => {
    const directory = join(ground.directory, "unfiltered")
    const files = prepareFiles(directory, process.env.PATH ?? "")
    const filters = { empty: "", half: "\0".repeat(12), nonsense: "\xff".repeat(64) }
    for (const [name, content] of Object.entries(filters)) {
      writeFileSync(join(directory, name), content, "latin1")
    }
    for (const name of [...Object.keys(filters), "missing"]) {
      const place = join(directory, `sandbox-${name}`)
      mkdirSync(join(place, "home"), { recursive: true })
      const options = {
        stack: () => ({ writable: join(place, "home"), layers: [] }),
        ...{ directory: place, shared: directory, isKept: () => false },
        ...{ user: null, temporaryBytes: 2 ** 20, processes: 64 },
        files: { ...files, filter: join(directory, name) },
        pipes: openPipeStock(join(directory, "pipes")),
        clock: systemClock,
        mounts: [],
        createGroup: () => null,
        image: "host",
        root: { kind: "host" as const },
        injected: null,
      }
      const starting = startAgent(options, "none")
      await expect(starting).rejects.toThrow()
    }
  })

  it("C18: is given the filter of another version, or one that was cut off", async () => {
    const directory = join(ground.directory, "stale")
    mkdirSync(join(directory, "shared"), { recursive: true, mode: 0o755 })
    const allowAll = Uint8Array.from([6, 0, 0, 0, 0, 0, 0xff, 0x7f])
    for (const content of [allowAll, new Uint8Array()]) {
      writeFileSync(join(directory, "shared", "seccomp.bpf"), content)
      await using pool = createPool(bubblewrapHost({ directory }))
      const workspace = await pool.workspace()
      const number = numbers.keyctl[architecture]
      expect((await workspace.exec(systemCall(number, 0, -3, 0))).stdout).toBe(refused)
    }
  })

  it("C18: is made where there is no bwrap, with no wall at all", async () => {
    await using pool = createPool(bubblewrapHost({ directory: ground.directory, path: "/nowhere" }))
    await expect(pool.workspace()).rejects.toMatchObject({ kind: "unavailable" })
  })
})
