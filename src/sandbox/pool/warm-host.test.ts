import { readdirSync, readFileSync } from "node:fs"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type ManualClock, manualClock } from "../../../test/support/manual-clock.ts"
import { findControllers } from "../confine/control-groups.ts"
import type { Host, Sandbox, SandboxSpec } from "../host/host.ts"
import type { WarmHost, WarmOptions } from "../host/warm.ts"
import { bubblewrapHost } from "../hosts/bubblewrap/bubblewrap-host.ts"
import { warmLimits } from "../limits.ts"
import { createWorkspace } from "../workspace/create-workspace.ts"
import { warmHost } from "./warm-host.ts"

let directory: string
let cold: Host
let clock: ManualClock
const opened: WarmHost[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "toolkeep-warm-"))
  await chmod(directory, 0o755)
  cold = bubblewrapHost({ directory })
  clock = manualClock()
})
afterEach(async () => {
  for (const host of opened.splice(0)) await host.close()
  await rm(directory, { recursive: true, force: true })
})

const sandboxes = () => readdirSync(directory).filter((name) => /^(sandbox|kept)_/.test(name))

function open(options: Partial<WarmOptions> = {}): WarmHost {
  const host = warmHost(cold, { sandboxes: 1, clock, isBusy: () => false, ...options })
  opened.push(host)
  return host
}

/** Lets time pass until so many are ready. */
async function filled(host: WarmHost, count: number): Promise<void> {
  const ready = () => {
    clock.advance(warmLimits.refillMs)
    return host.ready()
  }
  await expect.poll(ready, { timeout: 60_000 }).toBe(count)
}

async function used<Result>(sandbox: Sandbox, use: (sandbox: Sandbox) => Promise<Result>) {
  try {
    return await use(sandbox)
  } finally {
    await sandbox.destroy()
  }
}

const seeing = [
  "id; umask; ulimit -a; hostname; pwd; uname -a; tty; trap; jobs; shopt; set -o; nproc",
  "env | sort; declare -p | grep -vE 'RANDOM|EPOCH|SECONDS'; echo $$ $PPID $BASHPID $SHLVL",
  "cat /proc/self/cgroup /proc/mounts /proc/self/mountinfo /proc/self/limits /proc/self/oom_score_adj",
  "cat /proc/self/uid_map /proc/self/gid_map /proc/self/setgroups /proc/self/attr/current",
  "grep -vE '^(Vm|Rss|.*ctxt_switches|HugetlbPages|x86|Cpus_allowed|Mems_allowed)' /proc/self/status",
  "for process in /proc/[0-9]*; do echo $process; tr '\\0' '\\n' <$process/cmdline; cat $process/comm; done",
  // Not in a pipe, whose processes would be there or not.
  "find /proc/[0-9]*/fd -printf '%p -> %l\\n'",
  "cat /proc/net/dev /proc/net/route /proc/net/tcp /proc/net/unix /proc/net/if_inet6 | cut -c1-40",
  "cat /proc/sys/kernel/hostname /proc/sys/kernel/domainname /etc/* 2>&1",
  // Without the number of links of files: it changes with every other sandbox that has the same programs.
  "find / -xdev -path /proc -prune -o -path /usr -prune -o -printf '%p %y %m %U %G %s %l\\n' 2>&1 | sort",
  "find /home /tmp /run /dev -printf '%p %y %m %U %G %s %l\\n' 2>&1 | sort",
  "df --output=target,fstype,size /tmp /dev/shm | sort",
].join("\n")

/** The whole of what a first command can see, without what is another number for each process or sandbox. */
async function seenIn(sandbox: Sandbox): Promise<string> {
  const { stdout, stderr } = await createWorkspace(sandbox).exec(seeing, { timeoutMs: 300_000 })
  return (stdout + stderr)
    .replace(/(sandbox|kept_pool)_[a-z0-9]{12}/g, "SANDBOX")
    .replace(/command_[a-z0-9]{12}/g, "command_")
    .replace(/(pipe|socket|anon_inode):\[\d+\]/g, "$1:[]")
    .replace(/^\d+ \d+ \d+:\d+ /gm, "MOUNT ")
    .replace(/ (shared|master|propagate_from):\d+/g, " $1:")
    .replace(/^[0-9a-f]{16}: .*$/gm, "SOCKET")
    .replace(/(uid|gid)=\d{7,}/g, "$1=")
    .replace(/^( +\d+ +)\d{7,}( +\d+)$/gm, "$1$2")
}

/** What the kernel holds the sandboxes to that there are, seen from outside. */
function groupLimits(): readonly string[] {
  const settings = /^(memory\.(max|swap\.max|.*limit_in_bytes)|pids\.max|cpu\.(max|cfs_.*_us))$/
  return (findControllers() ?? []).flatMap((controller) =>
    sandboxes().flatMap((name) => {
      const group = join(controller.directory, "toolkeep", name)
      const files = readdirSync(group).filter((file) => settings.test(file))
      return files.sort().map((file) => `${file} ${readFileSync(join(group, file), "utf8").trim()}`)
    }),
  )
}

describe("a sandbox that was made before it was asked for", () => {
  it.each<{ what: string; spec: Partial<SandboxSpec> }>([
    { what: "no network", spec: {} },
    {
      what: "an allow-list",
      spec: { network: { kind: "allow-list", domains: ["example.com"] } },
    },
  ])("C1: shows a command nothing that a new one would not, with $what", async ({ spec }) => {
    const host = open()
    await filled(host, 1)
    const lookAt = async (sandbox: Sandbox) => {
      const { name, image, home, roots, can } = sandbox
      const limits = groupLimits()
      return { name, image, home, roots, can, limits, seen: await seenIn(sandbox) }
    }
    const warm = await used(await host.create({ name: "default", ...spec }), lookAt)
    expect(host.ready()).toBe(0)
    const made = await used(await cold.create({ name: "default", ...spec }), lookAt)
    expect(warm.seen).toContain("/home/user")
    expect(warm.seen.split("\n")).toEqual(made.seen.split("\n"))
    expect(warm).toEqual(made)
  })

  it("C1: is the same where it is persisted, and is found again with its files", async () => {
    const host = open()
    await filled(host, 1)
    const word = host.reserveKept({})
    expect([word, host.ready()]).toEqual([expect.stringMatching(/^pool_/), 0])
    const warm = await host.create({ name: "default", keptAs: word })
    expect(sandboxes()).toEqual([`kept_${word}`])
    const seen = await seenIn(warm)
    const made = await used(await cold.create({ name: "default", keptAs: "other" }), seenIn)
    expect(seen.split("\n")).toEqual(made.replaceAll("kept_other", "SANDBOX").split("\n"))
    await createWorkspace(warm).writeFile("notes.md", "hello")
    await warm.sleep()
    const again = await bubblewrapHost({ directory }).create({ name: "default", keptAs: word })
    await used(again, async (sandbox) => {
      expect(await createWorkspace(sandbox).readFile("notes.md")).toBe("hello")
    })
    expect(sandboxes()).toEqual([])
  })

  it("C1: is reserved only for what it is, and goes with the host when nobody creates it", async () => {
    const host = open()
    await filled(host, 1)
    const shown = { source: directory, target: "/mnt/shown", writable: false }
    for (const request of [
      ...[{ image: "host" }, { limits: { memoryBytes: 64 * 1024 ** 2 } }, { mounts: [shown] }],
      ...[{ network: { kind: "full" as const } }, { from: "snapshot" }],
    ]) {
      expect(host.reserveKept(request)).toBeUndefined()
    }
    expect(host.ready()).toBe(1)
    expect(host.reserveKept({})).toBeDefined()
    expect(host.reserveKept({})).toBeUndefined()
    await host.close()
    expect(sandboxes()).toEqual([])
  })

  it("C1, C7: is not given to a request for more than a default one", async () => {
    const host = open()
    await filled(host, 1)
    const shown = await mkdtemp(join(tmpdir(), "toolkeep-shown-"))
    const specs: Partial<SandboxSpec>[] = [
      { image: "host" },
      { limits: { memoryBytes: 64 * 1024 ** 2 } },
      { network: { kind: "full" } },
      { keptAs: "stays" },
      { mounts: [{ source: shown, target: "/mnt/shown", writable: false }] },
    ]
    for (const spec of specs) {
      await used(await host.create({ name: "other", ...spec }), async () => {
        expect(host.ready()).toBe(1)
      })
    }
    await rm(shown, { recursive: true })
  })

  it("C1: tells its owner what it tries to reach, and keeps to the owner's room on the disk", async () => {
    const host = open()
    await filled(host, 1)
    const decisions: unknown[] = []
    const reason = "The session has no room."
    const sandbox = await host.create({
      name: "default",
      network: { kind: "allow-list", domains: ["example.com"] },
      onNetwork: (decision) => decisions.push(decision),
      room: { most: () => ({ bytes: -1, reason }), refresh: async () => {} },
    })
    await used(sandbox, async () => {
      const workspace = createWorkspace(sandbox)
      await workspace.exec("curl -sS http://other.example/", { timeoutMs: 60_000 })
      expect(decisions).toMatchObject([{ target: "other.example", allowed: false }])
      await expect(workspace.writeFile("notes.md", "hello")).rejects.toThrow(reason)
    })
  })
})

describe("sandboxes that are ready", () => {
  it("C1: are made only while nothing runs, and again after one was handed out", async () => {
    let isBusy = true
    const host = open({ sandboxes: 2, isBusy: () => isBusy })
    clock.advance(warmLimits.lookMs)
    expect(sandboxes()).toEqual([])
    isBusy = false
    await filled(host, 2)
    const sandbox = await host.create({ name: "default" })
    expect(host.ready()).toBe(1)
    await filled(host, 2)
    expect(sandboxes()).toHaveLength(3)
    await sandbox.destroy()
    expect(sandboxes()).toHaveLength(2)
    await host.close()
    expect(sandboxes()).toEqual([])
  })

  it("C1: go when nobody has asked for one for long, and come back with the next request", async () => {
    const host = open()
    await filled(host, 1)
    clock.advance(warmLimits.idleMs + warmLimits.lookMs)
    expect(host.ready()).toBe(0)
    await expect.poll(sandboxes, { timeout: 60_000 }).toEqual([])
    await (await host.create({ name: "default" })).destroy()
    await filled(host, 1)
  })

  it("C1: go while the machine has little memory left", async () => {
    let bytes = Number.POSITIVE_INFINITY
    const host = open({ availableMemory: () => bytes })
    await filled(host, 1)
    bytes = warmLimits.memoryBytesLeast - 1
    clock.advance(warmLimits.lookMs)
    expect(host.ready()).toBe(0)
    await expect.poll(sandboxes, { timeout: 60_000 }).toEqual([])
    clock.advance(warmLimits.lookMs)
    expect(sandboxes()).toEqual([])
    bytes = Number.POSITIVE_INFINITY
    clock.advance(warmLimits.lookMs)
    await filled(host, 1)
  })
})
