import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { archiveOf } from "../../../test/support/archive-fixture.ts"
import { provesFileChanges } from "../../../test/support/change-files-suite.ts"
import { provesTrees } from "../../../test/support/trees-suite.ts"
import type { Capabilities, Workspace } from "../../contract/index.ts"
import { adaptHost, createPool, memoryHost, type SandboxApi } from "../index.ts"

const can: Capabilities = { ...memoryHost().can, host: "foreign", sleep: false, languages: {} }

/** The system's own shell stands for a service that has one. */
const shell: SandboxApi = {
  async exec(command, { cwd, env, signal }) {
    const child = spawn("/bin/sh", ["-c", command], {
      cwd,
      env: { ...process.env, ...env },
      signal,
    })
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
    child.stdout.on("data", (bytes: Buffer) => output.stdout.push(bytes))
    child.stderr.on("data", (bytes: Buffer) => output.stderr.push(bytes))
    const [exitCode] = await once(child, "close")
    const [stdout, stderr] = [Buffer.concat(output.stdout), Buffer.concat(output.stderr)]
    return { exitCode: exitCode ?? 1, stdout, stderr }
  },
  readFile: (path) => readFile(path),
  async writeFile(path, data, { append }) {
    await mkdir(dirname(path), { recursive: true })
    await (append ? appendFile(path, data) : writeFile(path, data))
  },
  async stat(path) {
    const stats = await stat(path).catch(() => null)
    if (!stats) return null
    const type = stats.isDirectory() ? "directory" : stats.isFile() ? "file" : "other"
    return { type, size: stats.size, modifiedMs: stats.mtimeMs, mode: stats.mode & 0o7777 }
  },
  async readdir(path) {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.map((entry) => ({
      name: entry.name,
      type: entry.isSymbolicLink() ? "symlink" : entry.isDirectory() ? "directory" : "file",
    }))
  },
}

let home: string
let workspace: Workspace
/** Of a service that runs commands, gives them no input, and has no functions for files. */
let bare: Workspace
beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "adapted-host-test-")))
  const host = adaptHost({ name: "foreign", summary: "", can, home, create: async () => shell })
  workspace = await createPool(host).workspace()
  const create = async () => ({ exec: shell.exec })
  const own = join(home, "bare")
  await mkdir(own)
  bare = await createPool(
    adaptHost({ name: "bare", summary: "", can, home: own, create }),
  ).workspace()
})
afterAll(() => rm(home, { recursive: true, force: true }))

describe("a foreign host with a POSIX shell", () => {
  provesFileChanges(() => withModes(workspace))
  provesTrees(() => withModes(workspace))
})

describe("a foreign host that has only exec", () => {
  provesFileChanges(() => withModes(bare))
  provesTrees(() => withModes(bare))

  it("F12.wrap, F18.bytes: bytes of any number and value are written, appended and read", async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256)
    await bare.writeFile("bare/bytes", bytes)
    await bare.writeFile("bare/bytes", bytes.subarray(0, 3), { append: true })
    const read = await bare.readFileBuffer("bare/bytes")
    expect(Buffer.concat([bytes, bytes.subarray(0, 3)]).equals(read)).toBe(true)
    await bare.writeFile("bare/bytes", "")
    expect(await bare.readFile("bare/bytes")).toBe("")
  })
})

/** A foreign API has no word for permissions: they are set by a command. */
function withModes(plain: Workspace): Workspace {
  return {
    ...plain,
    async writeFile(path, content, options = {}) {
      await plain.writeFile(path, content, options)
      if (options.mode !== undefined) await plain.exec(["chmod", options.mode.toString(8), path])
    },
  }
}

it("F18: what a service can't do is said plainly, and what it can is passed on", async () => {
  await expect(workspace.connect(80)).rejects.toMatchObject({
    kind: "unavailable",
    message: "The foreign host can't reach the ports of a sandbox.",
  })
  const called: unknown[] = []
  const connection = { readable: new ReadableStream(), writable: new WritableStream(), close() {} }
  const create = async (): Promise<SandboxApi> => ({
    ...shell,
    sleep: async () => void called.push("sleep"),
    connect: async (port) => {
      called.push(port)
      return connection
    },
  })
  const host = adaptHost({ name: "foreign", summary: "", can, home, create })
  const sandbox = await host.create({ name: "able" })
  const control = { signal: new AbortController().signal, onOutput: () => {} }
  const answer = sandbox.perform<"port.connect">({ kind: "port.connect", port: 81 }, control)
  expect(await answer).toBe(connection)
  await sandbox.sleep()
  expect(called).toEqual([81, "sleep"])
})

it("F11.timeout, F9.program: a service that answers an abort as if the command had ended has timed out all the same", async () => {
  const ends: SandboxApi = {
    exec: (_command, { signal }) =>
      new Promise((resolve) => {
        const end = () => resolve({ exitCode: 1, stdout: Buffer.from("begun"), stderr: "" })
        signal.addEventListener("abort", end)
      }),
  }
  const host = adaptHost({ name: "foreign", summary: "", can, home, create: async () => ends })
  const own = await createPool(host).workspace()
  expect(await own.exec("sleep 600", { timeoutMs: 20 })).toMatchObject({
    ...{ exitCode: 124, stdout: "begun", ending: { kind: "timed-out", afterMs: 20 } },
  })
  const aborting = AbortSignal.timeout(20)
  const aborted = own.exec("sleep 600", { signal: aborting, rejectOnAbort: false })
  expect(await aborted).toMatchObject({ exitCode: 143, ending: { kind: "aborted" } })
})

it("C9: a link that was there before leads no entry of an archive away", async () => {
  await workspace.writeFile("away/secret", "secret")
  await workspace.exec(
    "mkdir target && ln -s ../away target/out && ln -s ../away/secret target/link",
  )
  const archive = await archiveOf([
    { name: "out/secret", text: "x" },
    { name: "link", text: "y" },
  ])
  await workspace.importTree("target", archive)
  expect(await workspace.readFile("away/secret")).toBe("secret")
  expect(await workspace.readFile("target/out/secret")).toBe("x")
  expect(await workspace.readFile("target/link")).toBe("y")
})
