import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPipeStock } from "../../src/sandbox/agent/pipe-stock.ts"
import { prepareFiles } from "../../src/sandbox/hosts/bubblewrap/prepare-files.ts"
import { startInside } from "../../src/sandbox/hosts/bubblewrap/start-inside.ts"
import { denied, numbers, type SyscallName } from "../../src/sandbox/hosts/bubblewrap/syscalls.ts"
import { bubblewrapHost, createPool } from "../../src/sandbox/index.ts"
import { type AttackGround, openGround } from "./attack-ground.ts"
import { attackKernel } from "./kernel-attacks.ts"
import { exitBy32Bit } from "./program-of-32-bit.ts"
import {
  architecture,
  callFrom,
  errors,
  killedByFilter,
  refused,
  systemCall,
} from "./system-call.ts"

let ground: AttackGround
beforeAll(async () => {
  ground = await openGround()
})
afterAll(() => ground[Symbol.asyncDispose]())

const call = (name: SyscallName, ...given: readonly (number | string)[]) =>
  callFrom(ground.workspace, name, ...given)

describe("ways through the kernel, from bubblewrap", () => attackKernel(openGround))

describe("system calls that kernels were broken through", () => {
  it("C18: watches, reads and writes another process with ptrace and process_vm_readv", async () => {
    expect(await call("ptrace", 16, 2, 0, 0)).toBe(refused)
    expect(await call("ptrace", 0, 0, 0, 0)).toBe(refused)
    expect(await call("process_vm_readv", 2, 0, 0, 0, 0, 0)).toBe(refused)
    expect(await call("process_vm_writev", 2, 0, 0, 0, 0, 0)).toBe(refused)
    expect(await call("pidfd_getfd", 0, 0, 0)).toBe(refused)
  })

  it("C18: sets up io_uring, which does what other calls may not", async () => {
    expect(await call("io_uring_setup", 8, " ".repeat(120))).toBe(refused)
    expect(await call("io_uring_enter", 0, 0, 0, 0, 0, 0)).toBe(refused)
    expect(await call("io_uring_register", 0, 0, 0, 0)).toBe(refused)
  })

  it("C18: makes each of the calls that no command needs", async () => {
    const answers = await Promise.all(
      denied.map(async (name) => [name, await call(name, 0, 0, 0, 0, 0)]),
    )
    expect(answers).toEqual(denied.map((name) => [name, refused]))
  })

  it("C18: types into a terminal with TIOCSTI and pastes with TIOCLINUX", async () => {
    expect(await call("ioctl", 0, 0x5412, "x")).toBe(refused)
    expect(await call("ioctl", 0, 0x541c, "x")).toBe(refused)
    // The kernel looks at the lower half of the number only, and so must the filter.
    expect(await call("ioctl", 0, 0x1_0000_5412, "x")).toBe(refused)
  })

  it("C18: makes calls by the x32 interface, whose numbers are on no list", async () => {
    const getpid = 0x4000_0000 + 39
    const { exitCode, stdout } = await ground.workspace.exec(systemCall(getpid))
    const expected = architecture === "x64" ? [killedByFilter, ""] : [0, `-1 ${errors.ENOSYS}`]
    expect([exitCode, stdout]).toEqual(expected)
  })

  it("C18: makes calls by the 32-bit interface from a program of its own", async () => {
    const { workspace, print } = ground
    await workspace.writeFile("int80", exitBy32Bit(), { mode: 0o755 })
    const { exitCode } = await workspace.exec(["./int80"])
    // Killed by the filter, by a kernel without that interface, or no program of this machine's.
    expect([killedByFilter, 128 + 11, 126]).toContain(exitCode)
    expect(await print("echo alive")).toBe("alive\n")
  })
})

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
        ...{ directory: place, shared: directory, isKept: false },
        ...{ user: null, temporaryBytes: 2 ** 20, processes: 64 },
        files: { ...files, filter: join(directory, name) },
        pipes: openPipeStock(join(directory, "pipes")),
        createGroup: () => null,
        image: "host",
        root: { kind: "host" as const },
      }
      const starting = startInside(options, "none")
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
