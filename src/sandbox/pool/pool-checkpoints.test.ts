import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openPool } from "../../../test/support/sandbox/pool-fixture.ts"
import { bubblewrapHost } from "../hosts/bubblewrap/bubblewrap-host.ts"
import { localHost } from "../hosts/local/local-host.ts"
import { memoryHost } from "../hosts/memory/memory-host.ts"
import { createPool } from "./create-pool.ts"

it("C18: restores the files of every sandbox, and removes those that were not there", async () => {
  await using fixture = openPool()
  const { pool } = fixture
  await pool.create({ name: "build", limits: { processes: 100 }, sleepAfterMs: 5_000 })
  const build = await pool.workspace("build")
  await build.exec("echo old >file; mkdir d; echo kept >d/in; sleep 1000 >/dev/null 2>&1 &")
  await (await pool.workspace("web")).writeFile("page", "old")
  const checkpoint = await pool.checkpoint()
  expect(checkpoint).toMatchObject({
    host: "bubblewrap",
    sandboxes: [
      { name: "build", limits: { processes: 100 }, sleepAfterMs: 5_000 },
      { name: "web" },
    ],
    incomplete: [],
  })
  // It ends no process.
  expect((await build.exec("ps ax | grep -c '[s]leep 1000'")).stdout).toBe("1\n")

  await build.exec("echo new >file; rm -r d")
  await (await pool.workspace("other")).writeFile("late", "late")
  const before = ["build", "web", "other"].map(pool.revision)
  await pool.restore(checkpoint)
  expect(pool.list().map(({ name }) => name)).toEqual(["build", "web"])
  const again = await pool.workspace("build")
  expect((await again.exec("cat file d/in; ulimit -u")).stdout).toMatch(/^old\nkept\n\d+\n$/)
  expect((await again.exec("ps ax | grep -c '[s]leep 1000'")).stdout).toBe("0\n")
  expect(pool.list()[0]).toMatchObject({ name: "build", sleepAfterMs: 5_000 })
  const after = ["build", "web", "other"].map(pool.revision)
  expect(after.every((revision, index) => revision > (before[index] ?? 0))).toBe(true)
  // A workspace of what was there before does not reach what is there now.
  await expect(build.exec("true")).rejects.toThrow("The sandbox was closed.")
})

it("C18: costs nothing for what did not change, and names it with the same id", async () => {
  await using fixture = openPool()
  const { pool, directory } = fixture
  const one = await pool.workspace("one")
  await one.writeFile("file", "1")
  const two = await pool.workspace("two")
  await two.writeFile("file", "2")
  const ids = async () => (await pool.checkpoint()).sandboxes.map(({ id }) => id)
  const first = await ids()
  await one.readFile("file")
  expect(await ids()).toEqual(first)
  await two.exec("echo 3 >file")
  const second = await ids()
  expect(second[0]).toBe(first[0])
  expect(second[1]).not.toBe(first[1])
  // What still runs may change files at any time.
  await one.processes.start("sleep 1000")
  const third = await ids()
  expect(third[0]).not.toBe(second[0])
  expect((await ids())[0]).not.toBe(third[0])
  for (const id of new Set([...first, ...second])) await pool.dropCheckpoint(id)
  await expect(pool.dropCheckpoint(first[0] ?? "")).rejects.toThrow("There is no snapshot")
  const host = join(directory, "bubblewrap")
  expect(readdirSync(join(host, "snapshots")).length).toBeGreaterThan(0)
  await pool.destroy()
  expect([readdirSync(join(host, "layers")), readdirSync(join(host, "snapshots"))]).toEqual([
    [],
    [],
  ])
})

it("C18: another session is restored from it, and both go on apart; it outlives the first", async () => {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-branch-"))
  chmodSync(directory, 0o755)
  const open = (session: string) =>
    createPool(bubblewrapHost({ directory: join(directory, "bubblewrap") }), {
      directory: join(directory, session),
      disk: { sessionBytes: 1024 ** 3 },
    })
  try {
    const first = open("first")
    await (await first.workspace()).exec("head -c 5000000 /dev/urandom >big; echo old >file")
    const checkpoint = JSON.parse(JSON.stringify(await first.checkpoint()))
    await (await first.workspace()).exec("echo new >file; rm big")
    await first.close()

    const second = open("second")
    await (await second.workspace("gone")).writeFile("file", "gone")
    await second.restore(checkpoint)
    expect(second.list()).toMatchObject([{ name: "default" }])
    const own = await second.checkpoint()
    await second.close()

    const again = open("first")
    expect((await (await again.workspace()).exec("cat file; ls")).stdout).toBe("new\nfile\n")
    await again.destroy()

    const last = open("second")
    const workspace = await last.workspace()
    expect((await workspace.exec("cat file; wc -c <big")).stdout).toBe("old\n5000000\n")
    await workspace.exec("rm big; echo changed >file")
    await last.restore(own)
    const restored = await last.workspace()
    expect((await restored.exec("cat file; wc -c <big")).stdout).toBe("old\n5000000\n")
    expect(last.disk.used()).toBeGreaterThanOrEqual(0)
    // The first session's are gone with it, and the second goes on as it is.
    await expect(last.restore(checkpoint)).rejects.toThrow("There is no snapshot")
    expect((await restored.exec("cat file")).stdout).toBe("old\n")
    await last.destroy()
    expect(readdirSync(join(directory, "bubblewrap", "layers"))).toEqual([])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

it("C18: a restored sandbox may reach no more than its session's sandboxes may", async () => {
  const host = memoryHost()
  await using wide = createPool(host)
  await (await wide.workspace()).writeFile("file", "1")
  const checkpoint = await wide.checkpoint()
  await using narrow = createPool(host, { network: { kind: "none" } })
  const sandboxes = checkpoint.sandboxes.map((one) => ({
    ...one,
    network: { kind: "full" } as const,
  }))
  await narrow.restore({ ...checkpoint, sandboxes })
  expect(narrow.list()).toMatchObject([{ name: "default", network: { kind: "none" } }])
  expect(await (await narrow.workspace()).readFile("file")).toBe("1")
})

it("C18: a host that can't restore files says so, and a checkpoint of another host is refused", async () => {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-local-"))
  try {
    await using local = createPool(localHost({ directoryFor: (name) => join(directory, name) }))
    await local.workspace()
    const sentence =
      "The local host can't restore files: its sandboxes are directories of this machine, and what is there would be overwritten."
    await expect(local.checkpoint()).rejects.toThrow(sentence)
    await using memory = createPool(memoryHost())
    const checkpoint = await memory.checkpoint()
    await expect(local.restore(checkpoint)).rejects.toThrow(sentence)
    await expect(memory.restore({ ...checkpoint, host: "docker" })).rejects.toThrow(
      "The files were recorded on the docker host, and can't be restored on memory.",
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

it("C18: what the files of checkpoints in memory take counts as the sandbox's disk", async () => {
  await using pool = createPool(memoryHost({ diskBytes: 10 * 1024 ** 2 }))
  const workspace = await pool.workspace()
  await workspace.writeFile("big", "x".repeat(4 * 1024 ** 2))
  const first = await pool.checkpoint()
  await workspace.writeFile("small", "1")
  const second = await pool.checkpoint()
  await workspace.writeFile("big", "y".repeat(4 * 1024 ** 2))
  await expect(pool.checkpoint()).rejects.toThrow("no space is left")
  for (const { id } of [...first.sandboxes, ...second.sandboxes]) await pool.dropCheckpoint(id)
  expect((await pool.checkpoint()).sandboxes).toHaveLength(1)
})
