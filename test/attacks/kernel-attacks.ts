import { spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import type { SyscallName } from "../../src/sandbox/kernel/syscalls.ts"
import type { AttackGround, OpenGround } from "./attack-ground.ts"
import { keysBy32Bit, refusedBy32Bit } from "./program-of-32-bit.ts"
import { callFrom, errors, killedByFilter, refused } from "./system-call.ts"

/** Of what a filter refuses, what every host's refuses before the kernel looks at it. */
const changesMachine: readonly SyscallName[] = [
  ...["mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "mount_setattr"],
  ...["fsopen", "fsconfig", "fsmount", "fspick", "move_mount", "open_tree", "open_by_handle_at"],
  ...["keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd"],
  ...["init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"],
  ...["reboot", "swapon", "swapoff", "syslog", "acct", "quotactl", "quotactl_fd"],
  ...["settimeofday", "clock_settime", "iopl", "ioperm", "vhangup", "lookup_dcookie"],
  ...["fanotify_init"],
] as SyscallName[]

/** Ways out through the kernel, and to more privileges: on every host with real processes. */
export function attackKernel(open: OpenGround): void {
  let ground: AttackGround
  beforeAll(async () => {
    ground = await open()
  })
  afterAll(() => ground[Symbol.asyncDispose]())
  const call = (name: SyscallName, ...given: readonly (number | string)[]) =>
    callFrom(ground.workspace, name, ...given)

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

  it("C18: watches, reads and stops a process of the host by its number", async () => {
    const child = spawn("sleep", ["1000"])
    onTestFinished(() => void child.kill())
    const { pid = 0 } = child
    const [attach, seize] = [16, 0x4206]
    for (const request of [attach, seize]) {
      expect(await call("ptrace", request, pid, 0, 0)).toMatch(/^-1 /)
    }
    expect(await call("process_vm_readv", pid, 0, 0, 0, 0, 0)).toMatch(/^-1 /)
    expect(await call("process_vm_writev", pid, 0, 0, 0, 0, 0)).toMatch(/^-1 /)
    expect(await call("kcmp", pid, process.pid, 0, 0, 0)).toMatch(/^-1 /)
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    expect(status).toMatch(/^State:\tS/m)
    expect(status).toMatch(/^TracerPid:\t0$/m)
  })

  it("C18: sets the host's clock, at once and little by little", async () => {
    // A whole request to change it, in which every field is some number.
    const change = " ".repeat(208)
    expect(await call("settimeofday", change, 0)).toBe(refused)
    expect(await call("clock_settime", 0, change)).toBe(refused)
    expect(await call("adjtimex", change)).toBe(refused)
    expect(await call("clock_adjtime", 0, change)).toBe(refused)
  })

  it("C18: makes each of the calls that change the machine, whatever their arguments", async () => {
    const answers = await Promise.all(
      changesMachine.map(async (name) => [name, await call(name, 0, 0, 0, 0, 0)]),
    )
    expect(answers).toEqual(changesMachine.map((name) => [name, refused]))
  })

  it("C18: types into the terminal of whoever started it, by TIOCSTI and TIOCLINUX", async () => {
    for (const fd of [0, 1, 2]) {
      expect(await call("ioctl", fd, 0x5412, "x")).toMatch(/^-1 /)
      expect(await call("ioctl", fd, 0x541c, "x")).toMatch(/^-1 /)
    }
    expect(await ground.print("{ : >/dev/tty; } 2>/dev/null && echo opened; tty")).toBe(
      "not a tty\n",
    )
  })

  it("C18: reaches a refused call by the 32-bit interface, where its number is another", async () => {
    await ground.workspace.writeFile("int80", keysBy32Bit(), { mode: 0o755 })
    const { exitCode } = await ground.workspace.exec(["./int80"])
    // Refused; or killed by the filter, by a kernel without that interface, or no program of this machine's.
    expect([refusedBy32Bit, killedByFilter, 128 + 11, 126]).toContain(exitCode)
  })

  it("C18: finds a capability, or is the host's root", async () => {
    const status = await ground.print(
      "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status; id -un",
    )
    const sets = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}:\t${"0".repeat(16)}\n`)
    expect(status).toBe(`${sets.join("")}NoNewPrivs:\t1\nSeccomp:\t2\nuser\n`)
    expect(Number(await ground.print("id -u"))).toBeGreaterThanOrEqual(1000)
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
    expect(printed).toMatch(/uid=\d{4,}\(user\)/)
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
}
