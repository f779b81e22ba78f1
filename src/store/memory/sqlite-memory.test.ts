import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { memoryStoreSuite } from "../../../test/support/store/memory-store-suite.ts"
import { loadSqlite } from "../sqlite/sqlite.ts"
import type { MemoryStore } from "./database/memory-store.ts"
import type { Embedding } from "./embedding/embedder.ts"
import { sqliteMemory } from "./sqlite-memory.ts"

const directory = await mkdtemp(join(tmpdir(), "toolkeep-memory-"))
afterAll(() => rm(directory, { recursive: true, force: true }))

let files = 0
const newFile = () => {
  files += 1
  return join(directory, `${files}`, "memory.db")
}
const none: Embedding = { kind: "none", because: "No vectors in this test." }
const openFile = (file: string) => sqliteMemory({ file, embedding: none })

memoryStoreSuite("SQLite", { open: () => openFile(newFile()) })

/** Another process that writes what it is told, one entry after the other, and says each that is kept. */
function startWriter(file: string, name: string, count: number): ChildProcess {
  const module = new URL("./sqlite-memory.ts", import.meta.url).href
  const script = `
    const { sqliteMemory } = await import(${JSON.stringify(module)})
    const store = await sqliteMemory({ file: ${JSON.stringify(file)}, embedding: { kind: "none", because: "" } })
    for (let i = 0; i < ${count}; i += 1) {
      const content = ${JSON.stringify(name)} + " wrote number " + i
      await store.write({ kind: "append", namespace: "shared", content })
      process.stdout.write(content + "\\n")
    }
    await store.close()`
  const stdio = ["ignore", "pipe", "inherit"] as const
  return spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: [...stdio] })
}

async function contentsOf(store: MemoryStore): Promise<readonly string[]> {
  const page = await store.read("shared", { offset: 0, limit: 100_000 })
  return page?.entries.map(({ content }) => content) ?? []
}

it("Y14: two processes that write at once lose nothing of each other", async () => {
  const file = newFile()
  const writers = [startWriter(file, "A", 100), startWriter(file, "B", 100)]
  for (const writer of writers) writer.stdout?.resume()
  const codes = await Promise.all(writers.map((writer) => once(writer, "exit")))
  expect(codes.map(([code]) => code)).toEqual([0, 0])
  const store = await openFile(file)
  const contents = await contentsOf(store)
  await store.close()
  const expected = ["A", "B"].flatMap((name) =>
    Array.from({ length: 100 }, (_, index) => `${name} wrote number ${index}`),
  )
  expect([...contents].sort()).toEqual(expected.sort())
})

it("Y14: a process that is killed while it writes leaves all that it had been answered", async () => {
  const file = newFile()
  const writer = startWriter(file, "A", 100_000)
  let printed = ""
  for await (const piece of writer.stdout ?? []) {
    printed += piece
    if (printed.split("\n").length > 50) writer.kill("SIGKILL")
  }
  const answered = printed.split("\n").slice(0, -1)
  const store = await openFile(file)
  const contents = await contentsOf(store)
  expect(contents.slice(0, answered.length)).toEqual(answered)
  expect(contents.length - answered.length).toBeLessThanOrEqual(1)
  const found = await store.search({ query: "number 49", limit: 1, mode: "keyword" })
  expect(found.hits).toMatchObject([{ snippet: "A wrote number 49" }])
  await store.close()
})

it("Y14: who waits for another process can be called off, and does not wait for ever", async () => {
  const file = newFile()
  const store = await openFile(file)
  const { DatabaseSync } = loadSqlite()
  const other = new DatabaseSync(file)
  other.exec("BEGIN IMMEDIATE")
  const signal = AbortSignal.timeout(100)
  const write = { kind: "append", namespace: "shared", content: "late" } as const
  await expect(store.write(write, { signal })).rejects.toThrow("aborted")
  const waiting = store.write(write)
  expect(await contentsOf(store)).toEqual([])
  other.exec("COMMIT")
  other.close()
  await waiting
  expect(await contentsOf(store)).toEqual(["late"])
  await store.close()
})

it("O8: a damaged file, another's file and a newer one are named in a sentence and left alone", async () => {
  const damaged = newFile()
  await (await openFile(damaged)).close()
  const file = join(directory, "odd.db")
  const { DatabaseSync } = loadSqlite()
  const refusal = async (): Promise<string> => {
    const before = await readFile(file)
    const failure = await openFile(file).then(
      () => null,
      (error) => error,
    )
    expect(failure).toMatchObject({ name: "ToolFailure", kind: "unavailable" })
    expect(Buffer.compare(before, await readFile(file))).toBe(0)
    return failure.message
  }
  await writeFile(file, "This is no database, but a text. ".repeat(100))
  expect(await refusal()).toContain("is damaged and was not changed")

  await copyFile(damaged, file)
  const newer = new DatabaseSync(file)
  newer.exec("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99")
  newer.close()
  expect(await refusal()).toContain("was written by a newer Toolkeep (its version is 99")

  await rm(file)
  const foreign = new DatabaseSync(file)
  foreign.exec("PRAGMA journal_mode = WAL; CREATE TABLE accounts (id INTEGER)")
  foreign.close()
  expect(await refusal()).toContain("is the database of another program")

  await expect(openFile(join(directory, "odd.db", "memory.db"))).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("can't be opened"),
  })
})

it("O8: the file is its owner's alone", async () => {
  const file = newFile()
  const store = await openFile(file)
  await store.write({ kind: "append", namespace: "shared", content: "secret" })
  for (const name of [file, `${file}-wal`]) expect((await stat(name)).mode & 0o077).toBe(0)
  await store.close()
})
