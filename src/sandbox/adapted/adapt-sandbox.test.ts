import { Bash } from "just-bash"
import { beforeEach, describe, expect, it } from "vitest"
import type { Workspace } from "../../contract/index.ts"
import {
  adaptHost,
  createPool,
  filesOf,
  type SandboxApi,
  type SandboxApiExec,
  workspaceAt,
} from "../index.ts"

const can = { isolation: "virtual", argumentLists: true } as const

/** just-bash as it comes stands for any service with an API of its own. */
function openForeign(seen: SandboxApiExec[]): SandboxApi {
  const foreign = new Bash({ cwd: "/home/user" })
  const { fs } = foreign
  return {
    async exec(command, options) {
      seen.push(options)
      const { cwd, env, signal } = options
      return foreign.exec(command, { cwd, env: { ...env }, signal })
    },
    readFile: (path) => fs.readFileBuffer(path),
    writeFile: (path, data, { append }) =>
      append ? fs.appendFile(path, data) : fs.writeFile(path, data),
    stat: async (path) => {
      if (!(await fs.exists(path))) return null
      const { isDirectory, size, mtime, mode } = await fs.stat(path)
      return { type: isDirectory ? "directory" : "file", size, modifiedMs: mtime.getTime(), mode }
    },
    readdir: async (path) =>
      (await fs.readdir(path)).map((name) => ({ name, type: "file" as const })),
  }
}

let workspace: Workspace
let seen: SandboxApiExec[]

beforeEach(async () => {
  seen = []
  const create = async () => openForeign(seen)
  const host = adaptHost({
    name: "foreign",
    summary: "A service.",
    can,
    home: "/home/user",
    create,
  })
  workspace = await createPool(host).workspace()
})

describe("a foreign sandbox behind the boundary", () => {
  it("F12.wrap, F12.paths, F12.options, F18.paths: relative paths resolve against cwd, and options reach the foreign API", async () => {
    await workspace.writeFile("notes/../a.txt", "one\n")
    await workspace.writeFile("/home/user/a.txt", "two\n", { append: true })
    const result = await workspace.exec('cat a.txt; echo "$WORD" >&2; exit 3', {
      env: { WORD: "hi" },
      timeoutMs: 5_000,
    })
    expect(result).toMatchObject({
      exitCode: 3,
      stdout: "one\ntwo\n",
      stderr: "hi\n",
      ending: { kind: "exited" },
    })
    expect(seen[0]).toMatchObject({ cwd: "/home/user", env: { WORD: "hi" }, timeoutMs: 5_000 })
    expect(await workspace.readFile("a.txt", { offset: 4, length: 3 })).toBe("two")
  })

  it("F11.signal, F11.timeout, F18.timeout, F18.abort: a timeout that the foreign API forgets is kept locally; a signal is the second channel", async () => {
    const late = await workspace.exec("sleep 1000", { timeoutMs: 100 })
    expect(late).toMatchObject({ exitCode: 124, ending: { kind: "timed-out", afterMs: 100 } })
    const cancelled = workspace.exec("sleep 1000", { signal: AbortSignal.timeout(50) })
    await expect(cancelled).rejects.toThrow(expect.objectContaining({ name: "TimeoutError" }))
  })

  it("F18.errors: missing files, directories and argument lists behave as on every other host", async () => {
    await expect(workspace.readFile("nowhere")).rejects.toMatchObject({ code: "not-found" })
    await expect(workspace.readFile(".")).rejects.toMatchObject({ code: "is-directory" })
    expect(await workspace.exists("nowhere")).toBe(false)
    const words = await workspace.exec(["printf", "%s|", "a b", "it's", "$HOME", ""])
    expect(words.stdout).toBe("a b|it's|$HOME||")
  })

  it("F14.cwd, F14.timeout: a child workspace sees the same files from its own directory and forwards the timeout", async () => {
    await workspace.writeFile("/home/user/app/main.txt", "main")
    const child = workspaceAt(workspace, "app")
    expect(await child.readFile("main.txt")).toBe("main")
    expect((await child.exec("pwd", { timeoutMs: 4_000 })).stdout).toBe("/home/user/app\n")
    expect(seen.at(-1)).toMatchObject({ cwd: "/home/user/app", timeoutMs: 4_000 })
    expect(await workspaceAt(child, "..").exists("app/main.txt")).toBe(true)
  })

  it("F10.readFile, F10.readFileBuffer, F10.writeFile, F10.stat, F10.readdir, F10.exists, F13, F18.bytes: the file operations are a surface of their own, text apart from bytes", async () => {
    const files = filesOf(workspace)
    await files.writeFile("raw.bin", new Uint8Array([0, 255, 10]))
    expect(await files.readFileBuffer("raw.bin")).toEqual(new Uint8Array([0, 255, 10]))
    await files.writeFile("text.txt", "\ufeffgrüße")
    expect(await files.readFile("text.txt")).toBe("\ufeffgrüße")
    expect((await files.readdir(".")).map(({ name }) => name)).toEqual(["raw.bin", "text.txt"])
    expect(await files.stat("text.txt")).toMatchObject({ type: "file", size: 10 })
    expect(await files.exists("text.txt")).toBe(true)
    expect(files).not.toHaveProperty("exec")
  })
})
