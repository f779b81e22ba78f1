import { mkdir, open, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type LocalFixture, openLocal } from "../../../../../test/support/sandbox/local-fixture.ts"

let local: LocalFixture
beforeAll(async () => {
  local = await openLocal()
})
afterAll(() => local[Symbol.asyncDispose]())

const at = (name: string) => join(local.directory, name)

it("F10: reads text and bytes, whole and in part", async () => {
  const { workspace } = local
  await writeFile(at("text"), "héllo wörld")
  expect(await workspace.readFile("text")).toBe("héllo wörld")
  expect(await workspace.readFileBuffer("text", { offset: 1, length: 2 })).toEqual(
    Uint8Array.from([0xc3, 0xa9]),
  )
  expect(await workspace.readFile("text", { offset: 7 })).toBe("wörld")
  expect(await workspace.readFile("text", { length: 1 })).toBe("h")
  expect(await workspace.readFile("text", { length: 1_000 })).toBe("héllo wörld")
})

it("F10: what lies past the end is empty", async () => {
  await writeFile(at("short"), "abc")
  await writeFile(at("empty"), "")
  for (const offset of [3, 4, 10 ** 15, Number.MAX_SAFE_INTEGER]) {
    expect((await local.workspace.readFileBuffer("short", { offset })).length).toBe(0)
  }
  expect(await local.workspace.readFile("empty")).toBe("")
  expect((await local.workspace.readFileBuffer("short", { length: 0 })).length).toBe(0)
})

it("F10: reads a part of a huge file without reading the rest", async () => {
  const file = await open(at("huge"), "w")
  await file.truncate(50 * 1024 ** 3)
  await file.write("needle", 40 * 1024 ** 3)
  await file.close()
  const part = await local.workspace.readFile("huge", { offset: 40 * 1024 ** 3, length: 6 })
  expect(part).toBe("needle")
})

it("F18: a FIFO, a device and a socket are refused without waiting for them", async () => {
  const { workspace } = local
  await workspace.exec("mkfifo fifo")
  const server = createServer().listen(at("socket"))
  await new Promise((resolve) => server.once("listening", resolve))
  for (const path of ["fifo", "socket"]) {
    const refusal = { code: "not-file", kind: "invalid_args" }
    await expect(workspace.readFile(path)).rejects.toMatchObject(refusal)
    await expect(workspace.writeFile(path, "x")).rejects.toMatchObject(refusal)
    await expect(workspace.writeFile(path, "x", { append: true })).rejects.toMatchObject(refusal)
    expect((await workspace.stat(path)).type).toBe("other")
  }
  server.close()
})

it("F18: each way to fail has its own code", async () => {
  const { workspace } = local
  await mkdir(at("directory"))
  await writeFile(at("file"), "")
  await symlink("nothing", at("to-nothing"))
  await expect(workspace.readFile("missing")).rejects.toMatchObject({
    code: "not-found",
    kind: "not_found",
    message: `${JSON.stringify(at("missing"))} does not exist.`,
  })
  const codes = {
    directory: "is-directory",
    ".": "is-directory",
    "file/x": "not-directory",
    "to-nothing": "not-found",
    "missing/x": "not-found",
    ["n".repeat(256)]: "name-too-long",
    ["long/".repeat(1_000)]: "name-too-long",
  }
  for (const [path, code] of Object.entries(codes)) {
    await expect(workspace.readFile(path)).rejects.toMatchObject({ code })
  }
  expect(await workspace.exists("missing")).toBe(false)
  expect(await workspace.exists("file/x")).toBe(false)
  expect(await workspace.exists("to-nothing")).toBe(false)
  expect(await workspace.exists("file")).toBe(true)
})

it("F10: stat follows links and tells type, size, time and mode", async () => {
  await writeFile(at("stated"), "12345", { mode: 0o640 })
  await symlink("stated", at("to-stated"))
  const stat = await local.workspace.stat("to-stated")
  expect(stat).toEqual({
    type: "file",
    size: 5,
    mode: 0o640,
    modifiedMs: expect.closeTo(Date.now(), -6),
  })
  expect((await local.workspace.stat(".")).type).toBe("directory")
})

it("F11: an aborted read rejects with the reason", async () => {
  const file = await open(at("large"), "w")
  await file.truncate(200 * 1024 ** 2)
  await file.close()
  const controller = new AbortController()
  const reading = local.workspace.readFileBuffer("large", { signal: controller.signal })
  // Once it has begun; a timer may come when it is over.
  setImmediate(() => controller.abort("enough"))
  await expect(reading).rejects.toBe("enough")
})
