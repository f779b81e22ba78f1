import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type LocalFixture, openLocal } from "../../../../../test/support/sandbox/local-fixture.ts"

let local: LocalFixture
beforeAll(async () => {
  local = await openLocal()
})
afterAll(() => local[Symbol.asyncDispose]())

it("F10: lists names with their types, sorted by code unit", async () => {
  const { workspace, directory } = local
  const at = (name: string) => join(directory, "kinds", name)
  await mkdir(at("b-directory"), { recursive: true })
  for (const name of ["Z", "a", "é", ".hidden", "10", "9"]) await writeFile(at(name), "")
  await symlink("nowhere", at("c-link"))
  await workspace.exec("mkfifo d-fifo", { cwd: "kinds" })
  const entries = [
    { name: ".hidden", type: "file" },
    { name: "10", type: "file" },
    { name: "9", type: "file" },
    { name: "Z", type: "file" },
    { name: "a", type: "file" },
    { name: "b-directory", type: "directory" },
    { name: "c-link", type: "symlink" },
    { name: "d-fifo", type: "other" },
    { name: "é", type: "file" },
  ]
  expect(await workspace.readdir("kinds")).toEqual(entries)
  expect(await workspace.readdir("kinds", { limit: 3 })).toEqual(entries.slice(0, 3))
  expect(await workspace.readdir("kinds", { limit: 0 })).toEqual([])
})

it("F10: any name that a file can have goes round through write, list, stat and read", async () => {
  const { workspace } = local
  const names = [
    "with space",
    " leading and trailing ",
    "-rf",
    "--help",
    "line\nbreak",
    "tab\there",
    "quote'\"`$HOME",
    "*?[a]{b,c}",
    "back\\slash",
    "é combining e\u0301",
    "日本語😀",
    "~",
    "...",
    "x".repeat(255),
    "é".repeat(127),
  ]
  for (const name of names) await workspace.writeFile(`names/${name}`, `content of ${name}`)
  const listed = await workspace.readdir("names")
  expect(listed).toEqual(names.toSorted().map((name) => ({ name, type: "file" })))
  for (const name of names) {
    expect(await workspace.readFile(`names/${name}`)).toBe(`content of ${name}`)
    expect((await workspace.stat(`names/${name}`)).type).toBe("file")
  }
})

it("F18: a name that is no UTF-8 is listed with the mark for a bad character", async () => {
  const { workspace } = local
  await workspace.exec("mkdir odd && cd odd && touch $'bad\\xff' good")
  expect(await workspace.readdir("odd")).toEqual([
    { name: "bad\ufffd", type: "file" },
    { name: "good", type: "file" },
  ])
  await expect(workspace.readFile("odd/bad\ufffd")).rejects.toMatchObject({ code: "not-found" })
})

it("F10: the first names of a large directory are really the first", async () => {
  const { workspace } = local
  await workspace.exec("mkdir many && cd many && seq -w 0 4999 | shuf | xargs touch")
  const entries = await workspace.readdir("many", { limit: 500 })
  expect(entries).toEqual(
    Array.from({ length: 500 }, (_, index) => ({
      name: String(index).padStart(4, "0"),
      type: "file",
    })),
  )
  const controller = new AbortController()
  const aborted = workspace.readdir("many", { signal: controller.signal })
  // Once it has begun; a timer may come when it is over.
  setImmediate(() => controller.abort("enough"))
  await expect(aborted).rejects.toBe("enough")
})

it("F18: a file, or nothing, can't be listed", async () => {
  await local.workspace.writeFile("file", "")
  await expect(local.workspace.readdir("file")).rejects.toMatchObject({ code: "not-directory" })
  await expect(local.workspace.readdir("missing")).rejects.toMatchObject({ code: "not-found" })
})
