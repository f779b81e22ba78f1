import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Sandbox } from "../../host/host.ts"
import { sandboxLimits } from "../../limits.ts"
import { createWorkspace } from "../../workspace/create-workspace.ts"
import { bubblewrapHost } from "./bubblewrap-host.ts"
import { withMountedHome } from "./mount-home.ts"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "toolkeep-snapshots-"))
  await chmod(directory, 0o755)
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

const entries = (name: string) =>
  existsSync(join(directory, name)) ? readdirSync(join(directory, name)) : []

const print = async (sandbox: Sandbox, command: string) => {
  const { stdout, stderr } = await createWorkspace(sandbox).exec(command)
  return stdout + stderr
}

/** Another Toolkeep: the script has `host`, `createWorkspace` and `runConformance`. */
function otherToolkeep(script: string, at = directory): string[] {
  const urls = [
    "./bubblewrap-host.ts",
    "../../workspace/create-workspace.ts",
    "../../../testing/index.ts",
  ]
  const [host, workspace, testing] = urls.map((url) => JSON.stringify(import.meta.resolve(url)))
  return [
    "--input-type=module",
    "-e",
    `const { createWorkspace } = await import(${workspace})
     const { bubblewrapHost } = await import(${host})
     const testing = () => import(${testing})
     const host = bubblewrapHost({ directory: ${JSON.stringify(at)} })
     ${script}`,
  ]
}

describe("a snapshot", () => {
  it("C18: shares its data: a layer is there once for all sandboxes, and goes with the last", async () => {
    const host = bubblewrapHost({ directory })
    const source = await host.create({ name: "source" })
    await print(source, "head -c 5000000 /dev/zero >big; echo t >/tmp/temporary")
    const snapshot = await source.snapshot()
    const forks = await Promise.all(
      Array.from({ length: 20 }, () => host.create({ name: "fork", from: snapshot })),
    )
    const said = await Promise.all(
      forks.map((fork, index) =>
        print(fork, `echo ${index} >own; cat own /tmp/temporary; wc -c <big`),
      ),
    )
    expect(said).toEqual(forks.map((_, index) => `${index}\nt\n5000000\n`))
    expect(entries("layers")).toHaveLength(1)
    const { stdout } = await promisify(execFile)("du", ["-sk", directory])
    expect(Number(stdout.split("\t")[0])).toBeLessThan(20_000)
    await Promise.all([source, ...forks.slice(1)].map((sandbox) => sandbox.destroy()))
    await host.removeSnapshot(snapshot)
    expect(await print(forks[0] as Sandbox, "wc -c <big")).toBe("5000000\n")
    await forks[0]?.destroy()
    expect([entries("layers"), entries("snapshots")]).toEqual([[], []])
  })

  it("C18: of nothing new is no new layer, and a deep one is made of few", async () => {
    const host = bubblewrapHost({ directory })
    const sandbox = await host.create({ name: "deep" })
    await print(sandbox, "echo 1 >first")
    const ids = [await sandbox.snapshot(), await sandbox.snapshot()]
    expect(entries("layers")).toHaveLength(1)
    for (let depth = 0; depth < sandboxLimits.snapshotDepth; depth += 1) {
      await print(
        sandbox,
        `echo ${depth} >last; chmod 700 .; mkdir shut${depth}; chmod 0 shut${depth}`,
      )
      ids.push(await sandbox.snapshot())
    }
    expect(await print(sandbox, "cat first last; ls -d shut* | wc -l")).toBe(
      `1\n${sandboxLimits.snapshotDepth - 1}\n${sandboxLimits.snapshotDepth}\n`,
    )
    for (const id of ids.slice(0, -1)) await host.removeSnapshot(id)
    expect(entries("layers")).toHaveLength(1)
    await sandbox.destroy()
    await host.removeSnapshot(ids.at(-1) ?? "")
    expect(entries("layers")).toEqual([])
  })

  it("C7: that is not there is refused with some that are", async () => {
    const host = bubblewrapHost({ directory })
    const sandbox = await host.create({ name: "source" })
    const snapshot = await sandbox.snapshot()
    const before = readdirSync(directory)
    for (const from of ["snapshot_000000000000", "..", "", `${snapshot}/../x`]) {
      await expect(host.create({ name: "fork", from })).rejects.toMatchObject({
        kind: "invalid_args",
        field: "from",
        expected: expect.stringContaining(snapshot),
      })
    }
    expect(readdirSync(directory)).toEqual(before)
    await sandbox.destroy()
    await host.removeSnapshot(snapshot)
  })

  it("F18: makes commands in a fork no slower", async () => {
    const host = bubblewrapHost({ directory })
    const plain = await host.create({ name: "plain" })
    await print(plain, "echo x >file")
    const other = await host.create({ name: "other" })
    await print(other, "echo x >file")
    const snapshot = await other.snapshot()
    const fork = await host.create({ name: "fork", from: snapshot })
    const timeOf = async (sandbox: Sandbox) => {
      const started = performance.now()
      await print(sandbox, "read -r line <file; echo $line >>file")
      return performance.now() - started
    }
    const ratios: number[] = []
    for (let round = 0; round < 101; round += 1)
      ratios.push((await timeOf(fork)) / (await timeOf(plain)))
    expect(ratios.sort((a, b) => a - b)[50]).toBeLessThan(2)
    for (const sandbox of [plain, other, fork]) await sandbox.destroy()
    await host.removeSnapshot(snapshot)
  })
})

describe("a Toolkeep that is killed", () => {
  it("C8, O29: leaves kept sandboxes with their layers to the next one, and no others", async () => {
    const script = `
      const lost = await host.create({ name: "lost" })
      await createWorkspace(lost).exec("echo lost >file")
      await host.removeSnapshot(await lost.snapshot())
      const kept = await host.create({ name: "kept", keptAs: "work" })
      await createWorkspace(kept).exec("echo one >file; mkdir d; echo x >d/x")
      const snapshot = await kept.snapshot()
      await createWorkspace(kept).exec("echo two >>file; rm -r d")
      console.log(snapshot)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, otherToolkeep(script), {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const [said] = await once(child.stdout, "data")
    expect(entries("layers")).toHaveLength(2)
    child.kill("SIGKILL")
    await once(child, "exit")

    const host = bubblewrapHost({ directory })
    const kept = await host.create({ name: "kept", keptAs: "work" })
    expect(await print(kept, "cat file; ls")).toBe("one\ntwo\nfile\n")
    expect(entries("layers")).toHaveLength(1)
    const fork = await host.create({ name: "fork", from: String(said).trim() })
    expect(await print(fork, "cat file d/x")).toBe("one\nx\n")
    await Promise.all([kept.destroy(), fork.destroy()])
    await host.removeSnapshot(String(said).trim())
    expect(entries("layers")).toEqual([])
  })

  it("C8, O29: at any moment of a snapshot loses no file", async () => {
    const script = `
      const kept = await host.create({ name: "kept", keptAs: "work" })
      const workspace = createWorkspace(kept)
      const { stdout } = await workspace.exec("ls | wc -l")
      for (let n = Number(stdout); ; n += 1) {
        await workspace.exec("echo " + n + " >" + n)
        console.log(n)
        await host.removeSnapshot(await kept.snapshot())
      }`
    let last = -1
    for (const afterMs of [40, 5, 90, 20, 60, 10]) {
      const child = spawn(process.execPath, otherToolkeep(script), {
        stdio: ["ignore", "pipe", "inherit"],
      })
      child.stdout.on("data", (text) => {
        last = Math.max(last, ...String(text).trim().split("\n").map(Number))
      })
      await once(child.stdout, "data")
      await new Promise((resume) => setTimeout(resume, afterMs))
      child.kill("SIGKILL")
      await once(child, "close")
    }
    const host = bubblewrapHost({ directory })
    const kept = await host.create({ name: "kept", keptAs: "work" })
    const all = Array.from({ length: last + 1 }, (_, index) => `${index}\n`).join("")
    expect(await print(kept, `for ((i = 0; i <= ${last}; i++)); do cat $i; done`)).toBe(all)
    await kept.destroy()
    // Those that were taken and not yet removed are still snapshots; what was half made is gone.
    for (const id of entries("snapshots")) await host.removeSnapshot(id)
    expect([entries("layers"), entries("snapshots"), entries("kept_work")]).toEqual([[], [], []])
  }, 120_000)
})

it("F21, O30: an ordinary user's snapshots keep every promise", async () => {
  const user = process.getuid?.() === 0 ? 54_321 : (process.getuid?.() ?? 0)
  const home = join(directory, "sandboxes")
  await mkdir(home)
  if (process.getuid?.() === 0) await chown(home, user, user)
  const script = `
    const { runConformance } = await testing()
    if (process.getuid() === 0) { process.setgroups([]); process.setgid(${user}); process.setuid(${user}) }
    const { checks } = await runConformance(host, { only: ["snapshots"], checkMs: 100_000 })
    console.log(JSON.stringify(checks))`
  const { stdout } = await promisify(execFile)(process.execPath, otherToolkeep(script, home))
  const checks: { id: string; kept: boolean | null; how: string }[] = JSON.parse(stdout)
  expect(checks.filter(({ kept }) => kept !== true)).toEqual([])
  expect(checks.length).toBeGreaterThan(5)
  expect(readdirSync(home).filter((name) => name.startsWith("sandbox_"))).toEqual([])
}, 120_000)

it("F21: where directories can't be put on each other, no snapshots are promised", async () => {
  const [writable, layer] = [join(directory, "home"), join(directory, "layer")]
  for (const path of [writable, layer]) await mkdir(path)
  const script = `
    const sandbox = await host.create({ name: "one" })
    const refusals = [sandbox.snapshot(), host.create({ name: "two", from: "any" })]
    const kinds = (await Promise.allSettled(refusals)).map(({ reason }) => reason?.kind)
    console.log(JSON.stringify({ can: host.can.snapshots, kinds, alive: (await createWorkspace(sandbox).exec("echo yes")).stdout }))
    await sandbox.destroy()`
  // Inside a mount of layers no other can be made.
  const stack = { writable, layers: [layer] }
  const [program, ...args] = withMountedHome(
    { stack, shared: directory, isKept: false, user: null },
    [process.execPath, ...otherToolkeep(script, join(writable, "sandboxes"))],
  )
  const { stdout } = await promisify(execFile)(program, args)
  expect(JSON.parse(stdout)).toEqual({
    can: false,
    kinds: ["unavailable", "unavailable"],
    alive: "yes\n",
  })
})
