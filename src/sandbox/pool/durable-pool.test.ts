import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { bubblewrapHost } from "../hosts/bubblewrap/bubblewrap-host.ts"
import { createPool, type Pool } from "./create-pool.ts"
import type { PoolEvent } from "./pool-events.ts"

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "toolkeep-durable-"))
  chmodSync(directory, 0o755)
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const open = (): Pool =>
  createPool(bubblewrapHost({ directory: join(directory, "bubblewrap") }), {
    directory: join(directory, "session"),
  })

/** Another Toolkeep, which is killed while a process of its sandbox runs. */
const other = `
  const { bubblewrapHost } = await import(process.argv[1])
  const { createPool } = await import(process.argv[2])
  const [host, session] = process.argv.slice(3)
  const pool = createPool(bubblewrapHost({ directory: host }), { directory: session })
  await pool.create({ name: "build", sleepAfterMs: 5000 })
  const workspace = await pool.workspace("build")
  await workspace.writeFile("kept.txt", "kept", { mode: 0o640 })
  const done = await workspace.processes.start("echo over")
  await workspace.processes.wait(done.id)
  await workspace.processes.start("echo started; sleep 4000000")
  for (;;) {
    const [, started] = await workspace.processes.list()
    if ((await workspace.processes.output(started.id)).text) break
  }
  void workspace.exec("sleep 4000001")
  console.log("running")
  await new Promise(() => {})
`

async function killAnother(): Promise<void> {
  const files = ["../hosts/bubblewrap/bubblewrap-host.ts", "./create-pool.ts"]
  const urls = files.map((file) => new URL(file, import.meta.url).href)
  const places = [join(directory, "bubblewrap"), join(directory, "session")]
  const args = ["--input-type=module", "-e", other, ...urls, ...places]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  await once(child.stdout, "data")
  expect(() => open()).toThrow(
    `The session is in use by another Toolkeep (process ${child.pid}). Close that one, or use another session.`,
  )
  child.kill("SIGKILL")
  await once(child, "exit")
}

it("O27, C8: a Toolkeep after a kill -9 finds the files, and says which processes are gone", async () => {
  await killAnother()
  const pool = open()
  const events: PoolEvent[] = []
  pool.listen((event) => events.push(event))
  expect(pool.list()).toMatchObject([{ name: "build", status: "sleeping", sleepAfterMs: 5000 }])

  const workspace = await pool.workspace("build")
  expect(await workspace.readFile("kept.txt")).toBe("kept")
  expect(await workspace.stat("kept.txt")).toMatchObject({ mode: 0o640 })
  const [over, gone] = await workspace.processes.list()
  expect(over?.state).toEqual({ kind: "exited", exitCode: 0 })
  expect(gone).toMatchObject({
    command: "echo started; sleep 4000000",
    state: { kind: "gone", why: "The Toolkeep that started it has ended." },
  })
  expect((await workspace.processes.output(gone?.id ?? "")).text).toBe("started\n")
  expect(events).toMatchObject([
    { kind: "sandbox-found", sandbox: "build", gone: [{ id: gone?.id }] },
    { kind: "sandbox-woke" },
  ])
  expect((await workspace.exec("ps ax | grep -c '[s]leep 400000'")).stdout).toBe("0\n")
  await pool.destroy()
})

it("C1: nothing of a dead Toolkeep is left behind but the files that are kept", async () => {
  await killAnother()
  const groups = "/sys/fs/cgroup/memory/toolkeep"
  const [kept = ""] = readdirSync(join(directory, "bubblewrap")).filter((name) =>
    name.startsWith("kept_"),
  )
  const pool = open()
  await pool.workspace("other")
  expect(existsSync(join(directory, "bubblewrap", kept, "exchange"))).toBe(false)
  expect(existsSync(join(groups, kept))).toBe(false)
  expect(existsSync(join(directory, "bubblewrap", kept, "home", "kept.txt"))).toBe(true)

  await pool.destroySandbox("build")
  await pool.destroy()
  expect(readdirSync(join(directory, "bubblewrap"))).toEqual(["shared"])
  expect(existsSync(join(directory, "session"))).toBe(false)
})

it("C18: a pool that is closed keeps its sandboxes asleep for the next one, with their temporary files", async () => {
  const first = open()
  const workspace = await first.workspace("build")
  await workspace.writeFile("a.txt", "a")
  await workspace.writeFile("/tmp/b.txt", "b")
  await first.close()

  const second = open()
  expect(second.list()).toMatchObject([{ name: "build", status: "sleeping" }])
  const again = await second.workspace("build")
  expect(await again.readFile("a.txt")).toBe("a")
  expect(await again.readFile("/tmp/b.txt")).toBe("b")
  await second.destroy()
})

it("a record that can't be read is refused with what to do, and left as it is", async () => {
  await open().close()
  const file = join(directory, "session", "sandboxes.json")
  writeFileSync(file, "{ half")
  expect(() => open()).toThrow(
    `${file} does not say which sandboxes there are. Move it away to start over.`,
  )
  writeFileSync(file, JSON.stringify({ format: 1, host: "docker", sandboxes: [] }))
  expect(() => open()).toThrow(
    "The sandboxes of this session are on the docker host, not on bubblewrap.",
  )
})

it("F21, C8: snapshots that go with the pool are found again, and go with it", async () => {
  const pool = open()
  await (await pool.workspace("build")).writeFile("kept.txt", "kept")
  const held = await pool.holdSnapshot("build")
  const kept = await pool.snapshot("build")
  expect(pool.snapshots()).toEqual([held])
  await pool.close()

  const again = open()
  expect(again.snapshots()).toEqual([held])
  await again.create({ name: "copy", from: held })
  expect(await (await again.workspace("copy")).readFile("kept.txt")).toBe("kept")
  await again.destroy()
  await expect(again.host.removeSnapshot(held)).rejects.toThrow("There is no snapshot")

  const { host } = again
  const short = createPool(host)
  await short.workspace("build")
  const gone = await short.holdSnapshot("build")
  await short.close()
  await expect(host.removeSnapshot(gone)).rejects.toThrow("There is no snapshot")
  await host.removeSnapshot(kept)
}, 120_000)
