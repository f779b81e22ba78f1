import { afterAll, beforeAll, expect, it } from "vitest"
import { denied, type SyscallName } from "../../src/sandbox/kernel/syscalls.ts"
import type { AttackGround, OpenGround } from "./attack-ground.ts"
import { exitBy32Bit } from "./program-of-32-bit.ts"
import {
  architecture,
  callFrom,
  errors,
  killedByFilter,
  refused,
  systemCall,
} from "./system-call.ts"

/**
 * System calls that kernels were broken through: refused by the filter of every host with real processes.
 * A container engine's library may not know the `newest` by name; they fail all the same.
 */
export function attackCalls(open: OpenGround, newest: readonly SyscallName[] = []): void {
  let ground: AttackGround
  beforeAll(async () => {
    ground = await open()
  })
  afterAll(() => ground[Symbol.asyncDispose]())
  const call = (name: SyscallName, ...given: readonly (number | string)[]) =>
    callFrom(ground.workspace, name, ...given)

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
      denied.map(async (name) => [name, await call(name, 0, 0, 0, 0, 0)] as const),
    )
    const filtered = answers.filter(([name]) => !newest.includes(name))
    expect(filtered).toEqual(filtered.map(([name]) => [name, refused]))
    for (const [, answer] of answers) expect(answer).toMatch(/^-1 /)
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
}
