import { mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPipeStock } from "../../src/sandbox/agent/pipe-stock.ts"
import { prepareFiles } from "../../src/sandbox/hosts/bubblewrap/prepare-files.ts"
import { startInside } from "../../src/sandbox/hosts/bubblewrap/start-inside.ts"
import { denied, numbers, type SyscallName } from "../../src/sandbox/hosts/bubblewrap/syscalls.ts"
import { bubblewrapHost, createPool } from "../../src/sandbox/index.ts"
import { type AttackGround, openGround } from "./attack-ground.ts"
import { errors, killedByFilter, systemCall } from "./system-call.ts"

let ground: AttackGround
beforeAll(async () => {
  ground = await openGround()
})
afterAll(() => ground[Symbol.asyncDispose]())

const architecture = process.arch === "arm64" ? "arm64" : "x64"
const refused = `-1 ${errors.EPERM}`

async function call(name: SyscallName, ...given: readonly (number | string)[]): Promise<string> {
  const number = numbers[name][architecture]
  if (number === null) return refused
  return (await ground.workspace.exec(systemCall(number, ...given))).stdout
}

describe("system calls that kernels were broken through", () => {
  it("C18: watches, reads and writes another process with ptrace and process_vm_readv", async () => {
    expect(await call("ptrace", 16, 2, 0, 0)).toBe(refused)
    expect(await call("ptrace", 0, 0, 0, 0)).toBe(refused)
    expect(await call("process_vm_readv", 2, 0, 0, 0, 0, 0)).toBe(refused)
    expect(await call("process_vm_writev", 2, 0, 0, 0, 0, 0)).toBe(refused)
    expect(await call("pidfd_getfd", 0, 0, 0)).toBe(refused)
  })

  it("C18: mounts, unmounts and turns the root around", async () => {
    expect(await call("mount", "proc", "/tmp", "proc", 0, 0)).toBe(refused)
    expect(await call("umount2", "/usr", 2)).toBe(refused)
    expect(await call("pivot_root", "/tmp", "/tmp")).toBe(refused)
    expect(await call("chroot", "/tmp")).toBe(refused)
    expect(await call("fsopen", "tmpfs", 0)).toBe(refused)
    expect(await call("open_tree", -100, "/", 1)).toBe(refused)
  })

  it("C18: makes and enters namespaces with unshare, setns, clone and clone3", async () => {
    const [user, network, mounts] = [0x10000000, 0x40000000, 0x00020000]
    expect(await call("unshare", user)).toBe(refused)
    expect(await call("setns", 0, 0)).toBe(refused)
    for (const flag of [user, network, mounts]) {
      expect(await call("clone", flag | 17, 0, 0, 0, 0)).toBe(refused)
    }
    expect(await call("clone3", 0, 0)).toBe(`-1 ${errors.ENOSYS}`)
    expect(await ground.print("unshare -Ur id 2>&1; nsenter -t 1 -m id 2>&1")).not.toContain("uid=")
  })

  it("C18: sets up io_uring, which does what other calls may not", async () => {
    expect(await call("io_uring_setup", 8, " ".repeat(120))).toBe(refused)
    expect(await call("io_uring_enter", 0, 0, 0, 0, 0, 0)).toBe(refused)
    expect(await call("io_uring_register", 0, 0, 0, 0)).toBe(refused)
  })

  it("C18: reads and makes keys of the host's keyrings", async () => {
    expect(await call("keyctl", 0, -3, 0)).toBe(refused)
    expect(await call("add_key", "user", "name", "secret", 6, -3)).toBe(refused)
    expect(await call("request_key", "user", "name", 0, 0)).toBe(refused)
  })

  it("C18: loads programs and modules into the kernel, and watches it", async () => {
    expect(await call("bpf", 0, " ".repeat(64), 64)).toBe(refused)
    expect(await call("perf_event_open", " ".repeat(120), 0, -1, -1, 0)).toBe(refused)
    expect(await call("userfaultfd", 1)).toBe(refused)
    expect(await call("init_module", 0, 0, "")).toBe(refused)
    expect(await call("syslog", 3, " ".repeat(64), 64)).toBe(refused)
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

/** A whole program for x64 that exits with 42 by the call of a 32-bit one. */
function exitBy32Bit(): Uint8Array {
  const code = [0xb8, 1, 0, 0, 0, 0xbb, 42, 0, 0, 0, 0xcd, 0x80, 0xf4]
  const file = Buffer.alloc(120 + code.length)
  file.write("\x7fELF\x02\x01\x01", "latin1")
  file.writeUInt32LE(0x003e_0002, 16)
  file.writeUInt32LE(1, 20)
  file.writeBigUInt64LE(0x40_0078n, 24)
  file.writeBigUInt64LE(64n, 32)
  file.writeUInt32LE(0x0038_0040, 52)
  file.writeUInt32LE(1, 56)
  file.writeUInt32LE(1, 64)
  file.writeUInt32LE(5, 68)
  file.writeBigUInt64LE(0x40_0000n, 80)
  file.writeBigUInt64LE(0x40_0000n, 88)
  file.writeBigUInt64LE(BigInt(file.length), 96)
  file.writeBigUInt64LE(BigInt(file.length), 104)
  file.writeBigUInt64LE(4096n, 112)
  file.set(code, 120)
  return file
}

describe("privileges", () => {
  it("C18: finds a capability, or is the host's root", async () => {
    const status = await ground.print(
      "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status; id -u",
    )
    const sets = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}:\t${"0".repeat(16)}\n`)
    expect(status).toBe(`${sets.join("")}NoNewPrivs:\t1\nSeccomp:\t2\n1000\n`)
    const mounts = await ground.workspace.readFile("/proc/self/mountinfo")
    const [, id = ""] = /(sandbox_\w+)\/home \/home\/user/.exec(mounts) ?? []
    const { uid } = statSync(join(ground.directory, "sandboxes", id, "home"))
    const own = process.getuid?.() ?? 0
    if (own === 0) expect(uid).toBeGreaterThanOrEqual(2_000_000)
    else expect(uid).toBe(own)
  })

  it("C18: becomes root by the system's setuid programs and by one of its own", async () => {
    const printed = await ground.print(`su -c id; sudo -n id; passwd -d root; newgrp root -c id
      cp /usr/bin/id own; chmod 6755 own; ./own; chown 0:0 own; setpriv --reuid 0 id; true`)
    expect(printed).toContain("uid=1000(user)")
    expect(printed).not.toContain("uid=0")
    expect(printed).not.toContain("euid=")
  })

  it("C18: changes settings of the host's kernel through /proc", async () => {
    const files =
      "sys/kernel/core_pattern sys/kernel/hostname sys/vm/overcommit_memory sysrq-trigger"
    const printed = await ground.print(
      `for f in ${files} 1/oom_score_adj; do { echo x >/proc/$f; } 2>/dev/null && echo "wrote $f"; done
       echo -1000 2>/dev/null >/proc/self/oom_score_adj && echo spared; hostname other; true`,
    )
    expect(printed).not.toMatch(/wrote|spared/)
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
