import { existsSync } from "node:fs"
import { mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createPool } from "../../pool/create-pool.ts"
import { localHost } from "./local-host.ts"

let base: string
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "local-host-test-")))
})
afterAll(() => rm(base, { recursive: true, force: true }))

it("R12: says plainly that it isolates nothing", () => {
  const host = localHost({ directoryFor: () => base })
  expect({ name: host.name, summary: host.summary, can: host.can }).toEqual({
    name: "local",
    summary:
      "A directory on this machine, with no isolation: commands can do whatever you can, network included.",
    can: {
      host: "local",
      isolation: "none",
      liveOutput: true,
      liveInput: true,
      terminal: true,
      argumentLists: true,
      fileModes: true,
      networks: ["full"],
      background: true,
      ports: true,
      languages: {
        bash: ["bash", "--noprofile", "--norc", "-c", "--"],
        javascript: [process.execPath, "-e"],
        typescript: [process.execPath, "-e"],
        python: ["python3", "-c"],
      },
      sleep: true,
      snapshots: false,
      durable: true,
      images: ["host"],
      imageRemedy: expect.stringContaining("no images"),
      programs: expect.any(Array),
      ripgrep: expect.stringMatching(/\/bin\/rg$/),
      limits: { memoryBytes: null, diskBytes: null, processes: null, processors: null },
    },
  })
})

it("R12: says whether it works here, and what to do when not", async () => {
  expect(await localHost({ directoryFor: () => base }).probe()).toEqual({ kind: "ready" })
  const bare = localHost({ directoryFor: () => base, environment: { PATH: base } })
  expect(await bare.probe()).toEqual({
    kind: "unavailable",
    reason: "There is no bash in PATH.",
    remedy: "Install bash, or add its directory to PATH.",
  })
})

it("R12, F10: each name is the directory that it is given, made when missing and kept", async () => {
  const pool = createPool(localHost({ directoryFor: (name) => join(base, "boxes", name) }))
  const one = await pool.workspace("one")
  const two = await pool.workspace("two")
  await one.writeFile("a.txt", "1")
  expect([one.cwd, one.roots]).toEqual([join(base, "boxes/one"), [join(base, "boxes/one")]])
  expect(await two.exists("a.txt")).toBe(false)
  await expect(two.readFile("../one/a.txt")).rejects.toMatchObject({ code: "outside" })
  await pool.destroy()
  expect(existsSync(join(base, "boxes/one/a.txt"))).toBe(true)
})

it("R12: a directory behind a link is known by its real path", async () => {
  await symlink(base, join(base, "link"))
  const sandbox = await localHost({ directoryFor: () => join(base, "link") }).create({ name: "x" })
  expect(sandbox.home).toBe(base)
  await sandbox.destroy()
})

it("R12: a relative directory is taken from where the process is", async () => {
  const sandbox = await localHost({ directoryFor: () => "." }).create({ name: "x" })
  expect(sandbox.home).toBe(await realpath(process.cwd()))
  await sandbox.destroy()
})

it("R12: a file, or a path through a file, can't be a sandbox", async () => {
  const file = join(base, "file")
  await writeFile(file, "kept")
  await symlink(join(base, "nowhere"), join(base, "dangling"))
  for (const path of [file, join(file, "sub")]) {
    await expect(
      localHost({ directoryFor: () => path }).create({ name: "x" }),
    ).rejects.toMatchObject({
      kind: "invalid_args",
      message: `${JSON.stringify(path)} can't be the directory of a local sandbox: it, or a part of its path, is not a directory.`,
    })
  }
  await expect(
    localHost({ directoryFor: () => join(base, "dangling") }).create({ name: "x" }),
  ).rejects.toMatchObject({ kind: "invalid_args" })
})
