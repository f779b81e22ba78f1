import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { provesFileChanges } from "../../../../../test/support/change-files-suite.ts"
import { type LocalFixture, openLocal } from "../../../../../test/support/sandbox/local-fixture.ts"

let local: LocalFixture
beforeAll(async () => {
  local = await openLocal()
})
afterAll(() => local[Symbol.asyncDispose]())

describe("the local host", () => {
  provesFileChanges(() => local.workspace)
})

it("F18: names that are no UTF-8 are copied and removed with their tree", async () => {
  const { workspace } = local
  await workspace.exec("mkdir odd && cd odd && echo one > $'bad\\xff' && mkdir $'worse\\xfe'")
  await workspace.copy("odd", "odd-copy")
  expect((await workspace.exec("cat odd-copy/bad*; ls odd-copy | wc -l")).stdout).toBe("one\n2\n")
  await workspace.remove("odd", { recursive: true })
  expect(await workspace.exists("odd")).toBe(false)
})

it("F18: the sandbox's own directory is neither removed, moved nor replaced", async () => {
  const { workspace } = local
  await workspace.writeFile("own", "kept")
  await expect(workspace.remove(".", { recursive: true })).rejects.toMatchObject({ code: "denied" })
  await expect(workspace.rename(".", "elsewhere")).rejects.toMatchObject({ code: "denied" })
  for (const change of [workspace.rename, workspace.copy]) {
    await expect(change("own", ".")).rejects.toMatchObject({ code: "is-directory" })
  }
  await workspace.mkdir(".")
  expect(await workspace.readFile("own")).toBe("kept")
})

it("F18: a directory is not copied into itself through a link", async () => {
  const { workspace } = local
  await workspace.writeFile("loop/file", "x")
  await workspace.exec("ln -s loop to-loop")
  await expect(workspace.copy("loop", "to-loop/again")).rejects.toMatchObject({
    code: "into-itself",
    message: expect.stringContaining("can't be put into itself."),
  })
  expect(await workspace.readdir("loop")).toEqual([{ name: "file", type: "file" }])
})

it("F18: a pipe in a tree can't be copied, and leaves no half of it", async () => {
  const { workspace } = local
  await workspace.exec("mkdir -p piped && echo x > piped/a && mkfifo piped/b")
  await expect(workspace.copy("piped", "copied")).rejects.toMatchObject({ code: "not-file" })
  expect(
    (await workspace.readdir(".")).filter(({ name }) => /copied|\.toolkeep/.test(name)),
  ).toEqual([])
})

it("F11: a copy that is aborted leaves nothing behind", async () => {
  const { workspace } = local
  await workspace.exec("mkdir large && head -c 200000000 /dev/zero > large/file")
  const controller = new AbortController()
  const copying = workspace.copy("large", "larger", { signal: controller.signal })
  // Once it has begun; a timer may come when it is over.
  setImmediate(() => controller.abort("enough"))
  await expect(copying).rejects.toBe("enough")
  expect(
    (await workspace.readdir(".")).filter(({ name }) => /larger|\.toolkeep/.test(name)),
  ).toEqual([])
  await workspace.remove("large", { recursive: true })
})

describe("attacks with links", () => {
  it("F18: no change reaches outside, whichever way the path leads there", async () => {
    await using own = await openLocal()
    const { workspace, directory, outside } = own
    await writeFile(join(outside, "secret"), "outside content")
    await writeFile(join(directory, "file"), "inside content")
    await symlink(outside, join(directory, "to-outside"))
    await symlink(join(outside, "new"), join(directory, "dangling"))
    const refusal = { code: "outside", kind: "invalid_args" }
    for (const path of ["to-outside/secret", "../outside/secret", `${outside}/new`, "/", ".."]) {
      await expect(workspace.remove(path, { recursive: true })).rejects.toMatchObject(refusal)
      await expect(workspace.rename(path, "taken")).rejects.toMatchObject(refusal)
      await expect(workspace.copy(path, "taken")).rejects.toMatchObject(refusal)
      await expect(workspace.rename("file", path)).rejects.toMatchObject(refusal)
      await expect(workspace.copy("file", path)).rejects.toMatchObject(refusal)
      await expect(workspace.mkdir(path)).rejects.toMatchObject(refusal)
    }
    await expect(workspace.mkdir("dangling")).rejects.toMatchObject(refusal)
    await expect(workspace.mkdir("to-outside/deep/new")).rejects.toMatchObject(refusal)
    await workspace.copy("to-outside", "copied-link")
    await workspace.remove("to-outside", { recursive: true })
    expect(await readdir(outside)).toEqual(["secret"])
    expect(await workspace.readFile("file")).toBe("inside content")
    expect((await workspace.readdir(".")).map(({ type }) => type)).toEqual([
      "symlink",
      "symlink",
      "file",
    ])
  })
})

/** Swaps "place" between a directory and a link to outside, as fast as another process can. */
const swapper = `
  const { mkdirSync, renameSync, rmSync, writeFileSync } = require("node:fs")
  const attempt = (work) => { try { work() } catch {} }
  for (;;) {
    attempt(() => mkdirSync("real/deep", { recursive: true }))
    attempt(() => writeFileSync("real/deep/file", "inside content"))
    attempt(() => renameSync("real", "tree/place"))
    attempt(() => renameSync("tree/place", "real"))
    attempt(() => renameSync("trap", "tree/place"))
    attempt(() => renameSync("tree/place", "trap"))
    attempt(() => mkdirSync("tree"))
    attempt(() => rmSync("tree/place", { recursive: true }))
  }`

it("F18: a directory that is swapped for a link all the time leads no change outside", async () => {
  await using raced = await openLocal()
  const { workspace, directory, outside } = raced
  await mkdir(join(outside, "deep"))
  await writeFile(join(outside, "deep/file"), "outside content")
  await mkdir(join(directory, "tree"))
  await symlink(outside, join(directory, "trap"))
  const controller = new AbortController()
  const swapping = workspace.exec([process.execPath, "-e", swapper], { signal: controller.signal })
  swapping.catch(() => {})
  const attempt = (work: Promise<unknown>) => work.catch(() => {})
  const start = performance.now()
  let round = 0
  while (performance.now() - start < 1_500) {
    round += 1
    await Promise.all([
      attempt(workspace.remove("tree/place/deep", { recursive: true })),
      attempt(workspace.remove("tree", { recursive: true })),
      attempt(workspace.copy("tree", `copy-${round}`)),
      attempt(workspace.mkdir("tree/place/made")),
      attempt(workspace.rename("tree/place/deep", `moved-${round}`)),
      attempt(workspace.writeFile("one", "x").then(() => workspace.copy("one", "tree/place/new"))),
    ])
    await attempt(workspace.exec(["ln", "-sfn", outside, "trap"]))
  }
  controller.abort()
  await swapping.catch(() => {})
  expect(await readdir(outside, { recursive: true })).toEqual(["deep", "deep/file"])
  expect(await readFile(join(outside, "deep/file"), "utf8")).toBe("outside content")
  const found = await workspace.exec("grep -rl 'outside content' . | wc -l")
  expect(found.stdout.trim()).toBe("0")
})
