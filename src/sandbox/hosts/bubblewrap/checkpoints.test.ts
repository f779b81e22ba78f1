import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { chmod, chown, mkdir, mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Host, Sandbox, SandboxCheckpoint } from "../../host/host.ts"
import { createWorkspace } from "../../workspace/create-workspace.ts"
import { bubblewrapHost } from "./bubblewrap-host.ts"

let directory: string
let host: Host
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "toolkeep-checkpoints-"))
  await chmod(directory, 0o755)
  host = bubblewrapHost({ directory })
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

const print = async (sandbox: Sandbox, command: string) => {
  const { stdout, stderr } = await createWorkspace(sandbox).exec(command)
  return stdout + stderr
}

async function record(sandbox: Sandbox): Promise<SandboxCheckpoint> {
  if (!sandbox.checkpoint) throw new Error("There are no checkpoints here.")
  return sandbox.checkpoint()
}

const layers = () => readdirSync(join(directory, "layers"))
const layerFile = (layer: string, name: string) => stat(join(directory, "layers", layer, name))

/** A file's times are coarse: what has just changed is copied once more. */
const settle = "sleep 0.2"

describe("a checkpoint", () => {
  it("C18: copies only what changed since the last one", async () => {
    const sandbox = await host.create({ name: "source" })
    await print(sandbox, `mkdir d; echo 1 >d/same; ln d/same twin; echo 2 >other; ${settle}`)
    const first = await record(sandbox)
    const [before = ""] = layers()
    await print(sandbox, `echo 3 >other; mv d e; ${settle}`)
    const second = await record(sandbox)
    const after = layers().find((name) => name !== before) ?? ""
    const inodes = await Promise.all(
      ([before, after] as const).map(async (layer, index) => {
        const moved = index === 0 ? "d/same" : "e/same"
        const files = [moved, "twin", "other"].map((name) => layerFile(layer, name))
        return (await Promise.all(files)).map(({ ino }) => ino)
      }),
    )
    const [[same, twin, other], [sameLater, twinLater, otherLater]] = inodes as [number[], number[]]
    expect([twin, sameLater, twinLater]).toEqual([same, same, same])
    expect(otherLater).not.toBe(other)
    // None of it is the sandbox's own file, which it goes on writing.
    await print(sandbox, "echo changed >>twin")
    const restored = await host.create({ name: "restored", from: second.id })
    expect(await print(restored, "cat twin e/same other; ls")).toBe("1\n1\n3\ne\nother\ntwin\n")
    await Promise.all([sandbox.destroy(), restored.destroy()])
    for (const { id } of [first, second]) await host.removeSnapshot(id)
    expect(layers()).toEqual([])
  })

  it("C18: of a restored sandbox copies nothing that it did not change", async () => {
    const source = await host.create({ name: "source" })
    await print(source, "head -c 5000000 /dev/urandom >big; echo 1 >small")
    const first = await record(source)
    const restored = await host.create({ name: "restored", from: first.id })
    await print(restored, "echo 2 >small; ls")
    const second = await record(restored)
    const [one, other] = await Promise.all(layers().map((layer) => layerFile(layer, "big")))
    expect(one?.ino).toBe(other?.ino)
    const parts = (await restored.disk?.measure())?.parts ?? new Map()
    const taken = [...parts.values()].reduce((sum, bytes) => sum + bytes, 0)
    expect(taken).toBeLessThan(6_000_000)
    await Promise.all([source.destroy(), restored.destroy()])
    for (const { id } of [first, second]) await host.removeSnapshot(id)
    expect(layers()).toEqual([])
  })

  it("C18: sees what a process changes in a mapped file without another time", async () => {
    const sandbox = await host.create({ name: "mapped" })
    const program = `import mmap, os, sys
f = open("data", "r+b")
m = mmap.mmap(f.fileno(), 4096)
m[0:1] = b"1"
open("ready", "w").close()
while not os.path.exists("go"): pass
m[0:1] = b"2"
open("done", "w").close()
while not os.path.exists("end"): pass`
    const workspace = createWorkspace(sandbox)
    await workspace.writeFile("data", "0".repeat(4096))
    const running = workspace.exec(["python3", "-c", program])
    await print(sandbox, `until [ -e ready ]; do sleep 0.02; done; ${settle}`)
    const first = await record(sandbox)
    expect(first.isQuiet).toBe(false)
    await print(sandbox, "echo >go; until [ -e done ]; do sleep 0.02; done")
    const second = await record(sandbox)
    await print(sandbox, "echo >end")
    await running
    const restored = await host.create({ name: "restored", from: second.id })
    expect(await print(restored, "head -c 2 data")).toBe("20")
    await Promise.all([sandbox.destroy(), restored.destroy()])
    for (const { id } of [first, second]) await host.removeSnapshot(id)
  })

  it("C18: of nothing but an idle sandbox is quiet, and of one with something in the background is not", async () => {
    const sandbox = await host.create({ name: "quiet" })
    await print(sandbox, "echo 1 >file")
    const quiet = await record(sandbox)
    expect(quiet.isQuiet).toBe(true)
    await print(sandbox, "sleep 1000 >/dev/null 2>&1 &")
    const busy = await record(sandbox)
    expect(busy.isQuiet).toBe(false)
    expect(await print(sandbox, "ps ax | grep -c '[s]leep 1000'")).toBe("1\n")
    await sandbox.destroy()
    for (const { id } of [quiet, busy]) await host.removeSnapshot(id)
  })

  it("C18: is there for a Toolkeep that is started later", async () => {
    const sandbox = await host.create({ name: "one", keptAs: "work" })
    await print(sandbox, "echo 1 >file")
    const { id } = await record(sandbox)
    await sandbox.destroy()
    const later = await bubblewrapHost({ directory }).create({ name: "later", from: id })
    expect(await print(later, "cat file")).toBe("1\n")
    await later.destroy()
    await host.removeSnapshot(id)
  })
})

describe("a hostile command cannot use a checkpoint", () => {
  it("C18: to have files of this machine copied, by swapping directories for links", async () => {
    const secret = join(directory, "secret")
    await mkdir(secret)
    await promisify(execFile)("sh", ["-c", 'echo "the secret" >"$0/file"', secret])
    const sandbox = await host.create({ name: "swaps" })
    // Exchanges a directory and a link as fast as it can: between any two looks it is the other one.
    const race = `import ctypes, os
libc = ctypes.CDLL(None)
os.makedirs("target")
for i in range(20): os.makedirs(f"target/{i}"); open(f"target/{i}/file", "w").write("mine")
for i in range(20): os.symlink(${JSON.stringify(secret)}, f"target/link{i}")
open("ready", "w").close()
here = -100
names = [(f"target/{i}".encode(), f"target/link{i}".encode()) for i in range(20)]
while not os.path.exists("stop"):
  for one, other in names: libc.renameat2(here, one, here, other, 2)`
    const running = createWorkspace(sandbox).exec(["python3", "-c", race])
    await print(sandbox, "until [ -e ready ]; do sleep 0.02; done")
    const ids: string[] = []
    for (let round = 0; round < 30; round += 1) ids.push((await record(sandbox)).id)
    await print(sandbox, ": >stop")
    expect((await running).exitCode).toBe(0)
    const { stdout } = await promisify(execFile)("sh", [
      "-c",
      'grep -rlF "the secret" "$0" || true',
      join(directory, "layers"),
    ])
    expect(stdout).toBe("")
    await sandbox.destroy()
    for (const id of ids) await host.removeSnapshot(id)
  }, 600_000)

  it("C18: to hold it up: a file that always changes is named, and the others are whole", async () => {
    const sandbox = await host.create({ name: "races" })
    await print(sandbox, "head -c 20000000 /dev/urandom >busy; echo 1 >calm")
    const running = createWorkspace(sandbox).exec(
      ": >ready; while [ ! -e stop ]; do echo x >>busy; done",
    )
    await print(sandbox, "until [ -e ready ]; do sleep 0.02; done")
    let { id, incomplete, isQuiet } = await record(sandbox)
    // On a busy machine, the writer may have got no turn while its file was copied.
    while (incomplete.length === 0) {
      await host.removeSnapshot(id)
      ;({ id, incomplete, isQuiet } = await record(sandbox))
    }
    await print(sandbox, ": >stop")
    expect((await running).exitCode).toBe(0)
    expect({ incomplete, isQuiet }).toEqual({ incomplete: ["busy"], isQuiet: false })
    const restored = await host.create({ name: "restored", from: id })
    expect(await print(restored, "cat calm")).toBe("1\n")
    await Promise.all([sandbox.destroy(), restored.destroy()])
    await host.removeSnapshot(id)
  })

  it("C18: to harm this machine with deep, sparse, many-named, closed or odd files", async () => {
    const sandbox = await host.create({ name: "odd" })
    await print(
      sandbox,
      `mkdir deep; (cd deep; for i in {1..400}; do mkdir d; cd d; done; echo x >bottom)
       truncate -s 9G hole; { echo a; } >part; truncate -s 9G part; mkfifo pipe
       python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
       echo x >$'new\\nline'; echo x >$'\\xff\\xfe'; echo shut >shut; chmod 0 shut; mkdir closed; echo in >closed/in; chmod 0 closed
       head -c 3000000 /dev/zero | tr '\\0' x >one; for i in {1..2000}; do ln one link$i; done
       ln -s / root; ln -s /proc proc; chmod u+s one`,
    )
    const { id, incomplete } = await record(sandbox)
    expect(incomplete).toHaveLength(1)
    expect(incomplete[0]).toMatch(/^deep\/d\/d\//)
    const [layer = ""] = layers()
    const { stdout } = await promisify(execFile)("du", ["-sk", join(directory, "layers", layer)])
    expect(Number(stdout.split("\t")[0])).toBeLessThan(10_000)
    const restored = await host.create({ name: "restored", from: id })
    const look = `stat -c '%s %a' hole part one closed shut; head -c 1 part; stat -c %h one; readlink root proc
      cat $'new\\nline' $'\\xff\\xfe'; chmod 700 closed shut; cat closed/in shut; ls pipe socket 2>&1 | wc -l`
    expect(await print(restored, look)).toBe(
      "9663676416 644\n9663676416 644\n3000000 4644\n4096 0\n5 0\na2001\n/\n/proc\nx\nx\nin\nshut\n2\n",
    )
    await Promise.all([sandbox.destroy(), restored.destroy()])
    await host.removeSnapshot(id)
    expect(layers()).toEqual([])
  }, 120_000)

  it("C18: to take more of the disk than it may", async () => {
    const diskBytes = 20 * 1024 ** 2
    const sandbox = await host.create({ name: "full", limits: { diskBytes } })
    await print(sandbox, "head -c 12000000 /dev/urandom >big")
    await expect(record(sandbox)).rejects.toMatchObject({
      kind: "execution_error",
      message: expect.stringContaining("a copy of them takes more of the disk"),
    })
    expect(readdirSync(directory)).not.toContain("layers")
    await print(sandbox, "rm big; echo small >file")
    const { id } = await record(sandbox)
    const used = readdirSync(directory).find((name) => name.startsWith("sandbox_")) ?? ""
    expect(readdirSync(join(directory, used)).filter((name) => /^home_/.test(name))).toEqual([])
    await sandbox.destroy()
    await host.removeSnapshot(id)
  })
})

it("F21, O30: an ordinary user's checkpoints keep every promise", async () => {
  const user = process.getuid?.() === 0 ? 54_321 : (process.getuid?.() ?? 0)
  const home = join(directory, "sandboxes")
  await mkdir(home)
  if (process.getuid?.() === 0) await chown(home, user, user)
  const urls = ["./bubblewrap-host.ts", "../../../testing/index.ts"]
  const [hosts, testing] = urls.map((url) => JSON.stringify(import.meta.resolve(url)))
  const script = `
    const { bubblewrapHost } = await import(${hosts})
    const { runConformance } = await import(${testing})
    if (process.getuid() === 0) { process.setgroups([]); process.setgid(${user}); process.setuid(${user}) }
    const host = bubblewrapHost({ directory: ${JSON.stringify(home)} })
    const { checks } = await runConformance(host, { only: ["checkpoints"], checkMs: 100_000 })
    console.log(JSON.stringify(checks))`
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "-e",
    script,
  ])
  const checks: { id: string; kept: boolean | null; how: string }[] = JSON.parse(stdout)
  expect(checks.filter(({ kept }) => kept !== true)).toEqual([])
  expect(checks.length).toBeGreaterThan(5)
}, 120_000)
