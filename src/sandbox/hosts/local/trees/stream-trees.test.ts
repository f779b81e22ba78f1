import { readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { archiveOf, bytesOf, streamOf, tarOf } from "../../../../../test/support/archive-fixture.ts"
import { type LocalFixture, openLocal } from "../../../../../test/support/sandbox/local-fixture.ts"
import { provesTrees } from "../../../../../test/support/trees-suite.ts"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

let local: LocalFixture
beforeAll(async () => {
  local = await openLocal()
})
afterAll(() => local[Symbol.asyncDispose]())

describe("the local host", () => {
  provesTrees(() => local.workspace)
})

it("C9: the machine's own tar reads what is exported, and what it writes is imported", async () => {
  const { workspace, directory } = local
  await workspace.exec(
    "mkdir -p own/sub && echo a > own/sub/a && ln own/sub/a own/hard && ln -s a own/l",
  )
  const archive = await bytesOf(await workspace.exportTree("own"))
  await writeFile(join(directory, "own.tar"), archive)
  const read = await workspace.exec(
    "mkdir read && tar -C read -xf own.tar && cat read/sub/a read/hard",
  )
  expect([read.stderr, read.stdout]).toEqual(["", "a\na\n"])
  for (const format of ["gnu", "pax", "ustar"]) {
    const made = await workspace.exec(`tar --format=${format} -C own -cf - .`)
    await workspace.importTree(`from-${format}`, streamOf(made.stdoutBytes))
    const same = await workspace.exec(`diff -r --no-dereference own from-${format}`)
    expect([same.exitCode, same.stdout]).toEqual([0, ""])
    expect((await workspace.exec(`stat -c %h from-${format}/hard`)).stdout).toBe("2\n")
  }
})

it("C9.host: a tree of 50 MB passes without being held in memory", async () => {
  const { workspace } = local
  await workspace.exec(
    "mkdir big && for i in 1 2 3 4 5; do head -c 10000000 /dev/urandom > big/$i; done",
  )
  const archive = await workspace.exportTree("big")
  let largest = 0
  const before = process.memoryUsage().external
  const heldBytes = 30_000_000
  const taken = () => process.memoryUsage().external - before
  const held = () => {
    // What nobody holds any more may still be there. Its bytes go when the next collection begins, so there are two.
    for (let times = 0; times < 2 && taken() >= heldBytes; times += 1) collectGarbage()
    return taken()
  }
  const watched = archive.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        largest = Math.max(largest, piece.length)
        controller.enqueue(piece)
      },
    }),
  )
  const controller = new AbortController()
  let most = 0
  const watching = setInterval(() => {
    most = Math.max(most, held())
  }, 20)
  await workspace.importTree("big-again", watched, { signal: controller.signal })
  clearInterval(watching)
  expect((await workspace.exec("diff -r big big-again")).exitCode).toBe(0)
  expect(largest).toBeLessThan(1_000_000)
  expect(most).toBeLessThan(heldBytes)
  await workspace.exec("rm -r big big-again")
})

it("C9: links that were there before lead no entry outside", async () => {
  await using own = await openLocal()
  const { workspace, directory, outside } = own
  await writeFile(join(outside, "secret"), "outside content")
  await symlink(outside, join(directory, "out"))
  await symlink(join(outside, "secret"), join(directory, "to-secret"))
  const refusal = { code: "outside" }
  await expect(workspace.exportTree("out")).rejects.toMatchObject(refusal)
  await expect(workspace.exportTree("to-secret")).rejects.toMatchObject(refusal)
  const archive = () =>
    archiveOf([
      { name: "out/secret", text: "x" },
      { name: "to-secret", text: "y" },
    ])
  await expect(workspace.importTree("out", await archive())).rejects.toMatchObject(refusal)
  const one = await archiveOf([{ name: "one", text: "z" }])
  await expect(workspace.importTree("out/x", one, { as: "file" })).rejects.toMatchObject(refusal)
  await workspace.importTree(".", await archive())
  expect(await workspace.readFile("out/secret")).toBe("x")
  expect(await workspace.readFile("to-secret")).toBe("y")
  expect(await readdir(outside)).toEqual(["secret"])
  expect(await readFile(join(outside, "secret"), "utf8")).toBe("outside content")
})

it("C9: a program of an archive gets no rights of who unpacks it", async () => {
  const { workspace } = local
  const archive = await archiveOf([{ name: "su", text: "#!", mode: 0o6755 }])
  await workspace.importTree("programs", archive)
  expect((await workspace.stat("programs/su")).mode).toBe(0o755)
})

it("F18: a name that no archive of ours can hold fails the export, and the reader hears why", async () => {
  const { workspace } = local
  await workspace.exec("mkdir odd && touch odd/$'bad\\xff'")
  const archive = await workspace.exportTree("odd")
  await expect(bytesOf(archive)).rejects.toMatchObject({ code: "failed" })
})

it("F11: an export that is cancelled or aborted closes every file", async () => {
  const { workspace } = local
  await workspace.exec("mkdir -p open/deep && head -c 30000000 /dev/zero > open/deep/file")
  const opened = async () => (await readdir("/proc/self/fd")).length
  const before = await opened()
  for (let round = 0; round < 5; round += 1) {
    const controller = new AbortController()
    const reader = (await workspace.exportTree("open", { signal: controller.signal })).getReader()
    await reader.read()
    if (round % 2 === 0) await reader.cancel()
    else controller.abort("enough")
  }
  await expect.poll(opened).toBeLessThanOrEqual(before)
})

it("C9: an archive whose sender breaks off leaves nothing", async () => {
  const { workspace } = local
  const bytes = await tarOf([{ name: "file", text: "x".repeat(10_000) }])
  const breaking = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.slice(0, 5_000))
    },
    pull(controller) {
      controller.error(new Error("the sender broke"))
    },
  })
  await expect(workspace.importTree("half", breaking)).rejects.toMatchObject({ code: "failed" })
  expect(await workspace.exists("half")).toBe(false)
})
