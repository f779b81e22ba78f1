import { link, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import {
  type LocalFixture,
  openLocal,
  until,
} from "../../../../../test/support/sandbox/local-fixture.ts"

let local: LocalFixture
beforeEach(async () => {
  local = await openLocal()
})
afterEach(() => local[Symbol.asyncDispose]())

const at = (name: string) => join(local.directory, name)
const modeOf = async (name: string) => (await stat(at(name))).mode & 0o7777

it("F10: writes text and bytes, and makes missing parents", async () => {
  const { workspace } = local
  await workspace.writeFile("a/b/c.txt", "héllo")
  await workspace.writeFile("a/b/bytes", Uint8Array.from([0, 255, 128]))
  await workspace.writeFile("a/empty", "")
  expect(await readFile(at("a/b/c.txt"), "utf8")).toBe("héllo")
  expect([...(await readFile(at("a/b/bytes")))]).toEqual([0, 255, 128])
  expect((await readFile(at("a/empty"))).length).toBe(0)
})

it("F10: a shorter content replaces a longer one whole", async () => {
  await local.workspace.writeFile("file", "long content")
  await local.workspace.writeFile("file", "short")
  expect(await readFile(at("file"), "utf8")).toBe("short")
})

it("F10: appends, and makes the file when it is missing", async () => {
  const { workspace } = local
  await workspace.writeFile("deep/log", "one\n", { append: true })
  await workspace.writeFile("deep/log", "two\n", { append: true })
  expect(await readFile(at("deep/log"), "utf8")).toBe("one\ntwo\n")
})

it("F10: appends that run at once don't mix their bytes", async () => {
  const lines = Array.from({ length: 50 }, (_, index) => `${`${index}`.repeat(5_000)}\n`)
  await Promise.all(lines.map((line) => local.workspace.writeFile("log", line, { append: true })))
  const written = (await readFile(at("log"), "utf8")).split("\n").filter(Boolean)
  expect(written.toSorted()).toEqual(lines.map((line) => line.trimEnd()).toSorted())
})

it("F10: a new file gets the asked mode, an existing one keeps its own", async () => {
  const { workspace } = local
  await workspace.writeFile("new", "x", { mode: 0o750 })
  await workspace.writeFile("wide", "x", { mode: 0o777 })
  await workspace.writeFile("log", "x", { append: true, mode: 0o600 })
  await workspace.writeFile("usual", "x")
  await writeFile(at("script"), "old", { mode: 0o700 })
  await workspace.writeFile("script", "new", { mode: 0o644 })
  await workspace.writeFile("script", "more", { append: true, mode: 0o644 })
  const modes = await Promise.all(["new", "wide", "log", "usual", "script"].map(modeOf))
  expect(modes).toEqual([0o750, 0o777, 0o600, 0o666 & ~process.umask(), 0o700])
})

it("F10: a file stays its owner's when another user edits it", async () => {
  const isRoot = process.getuid?.() === 0
  const owner = isRoot ? [1234, 2345] : [process.getuid?.(), process.getgid?.()]
  await writeFile(at("theirs"), "old")
  if (isRoot) await local.workspace.exec(["chown", owner.join(":"), "theirs"])
  await local.workspace.exec("chmod 4750 theirs")
  await local.workspace.writeFile("theirs", "new")
  const { uid, gid } = await stat(at("theirs"))
  expect([uid, gid, await modeOf("theirs")]).toEqual([...owner, 0o4750])
})

it("F18: a directory, or a path through a file, can't be written to", async () => {
  const { workspace } = local
  await mkdir(at("directory"))
  await writeFile(at("file"), "kept")
  for (const append of [false, true]) {
    for (const path of ["directory", ".", "directory/"]) {
      await expect(workspace.writeFile(path, "x", { append })).rejects.toMatchObject({
        code: "is-directory",
        kind: "invalid_args",
      })
    }
    await expect(workspace.writeFile("file/x/y", "x", { append })).rejects.toMatchObject({
      code: "not-directory",
    })
    await expect(
      workspace.writeFile(`new/${"n".repeat(256)}`, "x", { append }),
    ).rejects.toMatchObject({ code: "name-too-long" })
  }
  expect((await readdir(local.directory)).toSorted()).toEqual(["directory", "file"])
  expect(await readFile(at("file"), "utf8")).toBe("kept")
})

it("F10: a reader never sees a part of a write", async () => {
  const { workspace } = local
  const contents = ["a", "b"].map((letter) => letter.repeat(300_000))
  await workspace.writeFile("file", contents[0] ?? "")
  let writing = true
  const seen = new Set<string>()
  const reader = (async () => {
    while (writing) {
      const text = await workspace.readFile("file")
      seen.add(`${text.length} ${[...new Set(text)].join("")}`)
    }
  })()
  for (let round = 0; round < 60; round += 1) {
    await workspace.writeFile("file", contents[round % 2] ?? "")
  }
  writing = false
  await reader
  expect([...seen].toSorted()).toEqual(["300000 a", "300000 b"])
  expect(await readdir(local.directory)).toEqual(["file"])
})

it("F11: an aborted write leaves the old content and no temporary file", async () => {
  await local.workspace.writeFile("file", "old")
  const controller = new AbortController()
  const writing = local.workspace.writeFile("file", new Uint8Array(400_000_000), {
    signal: controller.signal,
  })
  const isBegun = async () => (await readdir(local.directory)).length > 1
  await Promise.race([writing, until(isBegun)])
  controller.abort("enough")
  await expect(writing).rejects.toBe("enough")
  expect(await readFile(at("file"), "utf8")).toBe("old")
  expect(await readdir(local.directory)).toEqual(["file"])
})

it("F18: a write that does not fit leaves the old content and no temporary file", async () => {
  const ignore = () => {}
  const limitFileSize = (size: string) =>
    local.workspace.exec(["prlimit", `--fsize=${size}:`, "--pid", String(process.pid)])
  await local.workspace.writeFile("file", "old")
  process.on("SIGXFSZ", ignore)
  await limitFileSize("100000")
  try {
    await expect(
      local.workspace.writeFile("file", new Uint8Array(1_000_000)),
    ).rejects.toMatchObject({ code: "no-space", kind: "execution_error" })
  } finally {
    await limitFileSize("unlimited")
    process.off("SIGXFSZ", ignore)
  }
  expect(await readFile(at("file"), "utf8")).toBe("old")
  expect(await readdir(local.directory)).toEqual(["file"])
})

it("F10: another name of the same file keeps the old content", async () => {
  await writeFile(at("first"), "old")
  await link(at("first"), at("second"))
  await local.workspace.writeFile("first", "new")
  expect(await readFile(at("second"), "utf8")).toBe("old")
})

it("F18: a sandbox whose directory was removed does not make it anew", async () => {
  await local.workspace.exec(["rm", "-r", local.directory], { cwd: "/" })
  await expect(local.workspace.writeFile("file", "x")).rejects.toMatchObject({ code: "not-found" })
  await expect(local.workspace.exec("true")).rejects.toMatchObject({ code: "not-found" })
})
