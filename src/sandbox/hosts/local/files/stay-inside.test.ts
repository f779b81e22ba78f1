import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type LocalFixture, openLocal } from "../../../../../test/support/sandbox/local-fixture.ts"

let local: LocalFixture
beforeAll(async () => {
  local = await openLocal()
  await writeFile(join(local.outside, "secret"), "outside content")
  const link = (target: string, name: string) => symlink(target, join(local.directory, name))
  await link(join(local.outside, "secret"), "to-file")
  await link(local.outside, "to-directory")
  await link(join(local.outside, "new"), "dangling")
  await link("../outside/new", "relative-dangling")
  await link("dangling", "to-dangling")
  await link("missing/../../outside/new", "through-missing")
  await link("/proc/self/root/etc/hostname", "through-proc")
  await link("loop-b", "loop-a")
  await link("loop-a", "loop-b")
  await mkdir(join(local.directory, "real"))
  await writeFile(join(local.directory, "real/file"), "inside content")
  await link("real/file", "inside-link")
  await link("real", "inside-directory")
  await link("real/made-through-link", "inside-dangling")
})
afterAll(() => local[Symbol.asyncDispose]())

const leaving = [
  "to-file",
  "to-directory/secret",
  "to-directory/new",
  "to-directory/deep/new",
  "dangling",
  "relative-dangling",
  "to-dangling",
  "through-missing",
  "through-proc",
  "../outside/secret",
  "../outside/missing",
  "/etc/passwd",
  "/no/such/path",
  "/",
]

describe("attacks with links", () => {
  it.each(leaving)("F18: refuses every operation on %s, which leads outside", async (path) => {
    const { workspace } = local
    const refusal = { code: "outside", kind: "invalid_args" }
    await expect(workspace.readFile(path)).rejects.toMatchObject(refusal)
    await expect(workspace.writeFile(path, "x")).rejects.toMatchObject(refusal)
    await expect(workspace.writeFile(path, "x", { append: true })).rejects.toMatchObject(refusal)
    await expect(workspace.stat(path)).rejects.toMatchObject(refusal)
    await expect(workspace.readdir(path)).rejects.toMatchObject(refusal)
    expect(await readdir(local.outside)).toEqual(["secret"])
    expect(await readFile(join(local.outside, "secret"), "utf8")).toBe("outside content")
  })

  it("F18: a loop of links is named as one", async () => {
    await expect(local.workspace.readFile("loop-a")).rejects.toMatchObject({ code: "link-loop" })
    await expect(local.workspace.writeFile("loop-b", "")).rejects.toMatchObject({
      code: "link-loop",
    })
  })

  it("F10: links that stay inside are followed, and a write goes to their target", async () => {
    const { workspace, directory } = local
    expect(await workspace.readFile("inside-link")).toBe("inside content")
    await workspace.writeFile("inside-link", "changed")
    await workspace.writeFile("inside-directory/second", "2")
    await workspace.writeFile("inside-dangling", "3")
    expect(await readFile(join(directory, "real/file"), "utf8")).toBe("changed")
    expect(await workspace.readdir("real")).toEqual([
      { name: "file", type: "file" },
      { name: "made-through-link", type: "file" },
      { name: "second", type: "file" },
    ])
    const links = (await workspace.readdir(".")).filter(({ type }) => type === "symlink")
    expect(links.map(({ name }) => name)).toContain("inside-link")
    expect((await workspace.stat("inside-directory")).type).toBe("directory")
  })
})

/** Swaps "place" between a directory and a link to outside, as fast as another process can. */
const swapper = `
  const { renameSync, rmSync } = require("node:fs")
  const attempt = (work) => { try { work(); return true } catch { return false } }
  const swap = (from, to) => {
    if (attempt(() => renameSync(from, to))) return
    // A write that came between made a directory of that name.
    if (from !== "place") attempt(() => rmSync("place", { recursive: true, force: true }))
  }
  for (;;) { swap("real", "place"); swap("place", "real"); swap("trap", "place"); swap("place", "trap") }`

it("F18: a directory that is swapped for a link all the time leads no operation outside", async () => {
  await using raced = await openLocal()
  const { workspace, directory, outside } = raced
  await writeFile(join(outside, "file"), "outside content")
  await mkdir(join(directory, "real/sub"), { recursive: true })
  await writeFile(join(directory, "real/file"), "inside content")
  await symlink(outside, join(directory, "trap"))
  const controller = new AbortController()
  const swapping = workspace.exec([process.execPath, "-e", swapper], { signal: controller.signal })
  swapping.catch(() => {})

  const results = new Map<string, number>()
  const attempt = async (work: () => Promise<unknown>) => {
    const result = await work().catch((error: { code?: string }) => error.code)
    results.set(String(result), (results.get(String(result)) ?? 0) + 1)
  }
  const seenBoth = () => (results.get("outside") ?? 0) > 10 && results.has("inside content")
  const start = performance.now()
  const spent = () => performance.now() - start
  while (spent() < 1_000 || (!seenBoth() && spent() < 100_000)) {
    await Promise.all([
      attempt(() => workspace.readFile("place/file")),
      attempt(() => workspace.writeFile("place/written", "x")),
      attempt(() => workspace.writeFile("place/sub/deep/written", "x")),
      attempt(() => workspace.writeFile("place/log", "x", { append: true })),
      attempt(async () =>
        (await workspace.readdir("place")).map(({ name }) => name).includes("file"),
      ),
      attempt(async () => (await workspace.stat("place/file")).size),
    ])
  }
  controller.abort()
  await swapping.catch(() => {})
  expect(await readdir(outside)).toEqual(["file"])
  expect(await readFile(join(outside, "file"), "utf8")).toBe("outside content")
  expect(results.has("outside content")).toBe(false)
  expect(results.has(String("outside content".length))).toBe(false)
  expect(seenBoth()).toBe(true)
})
