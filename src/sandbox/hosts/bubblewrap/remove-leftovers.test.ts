import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { bubblewrapHost } from "./bubblewrap-host.ts"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "toolkeep-leftovers-"))
  await chmod(directory, 0o755)
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const sandboxes = () => readdirSync(directory).filter((name) => name.startsWith("sandbox_"))

/** Another Toolkeep, with one command that would run for ever. */
const other = `
  const { bubblewrapHost } = await import(process.argv[1])
  const { createWorkspace } = await import(process.argv[2])
  const sandbox = await bubblewrapHost({ directory: process.argv[3] }).create({ name: "lost" })
  const workspace = createWorkspace(sandbox)
  await workspace.exec("true")
  void workspace.exec("echo running; sleep 4000000", { onOutput: () => console.log("running") })
`

it("O29: kill -9 of Toolkeep ends its sandboxes, and the next one removes what is left of them", async () => {
  const files = ["./bubblewrap-host.ts", "../../workspace/create-workspace.ts"]
  const urls = files.map((file) => new URL(file, import.meta.url).href)
  const args = ["--input-type=module", "-e", other, ...urls, directory]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  await once(child.stdout, "data")
  const [lost = ""] = sandboxes()
  expect(lost).not.toBe("")
  child.kill("SIGKILL")
  await once(child, "exit")

  const sandbox = await bubblewrapHost({ directory }).create({ name: "next" })
  expect(sandboxes()).toHaveLength(1)
  expect(sandboxes()).not.toContain(lost)
  const group = `/sys/fs/cgroup/memory/toolkeep/${lost}`
  expect(existsSync(group)).toBe(false)
  await sandbox.destroy()
  expect(sandboxes()).toEqual([])
})
