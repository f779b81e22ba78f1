import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync, zstdCompressSync } from "node:zlib"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openFile } from "../../../paths/walk-inside.ts"
import { openArchive } from "./open-archive.ts"

const megabyte = 1024 ** 2
let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "toolkeep-archives-"))
})
afterAll(() => rmSync(directory, { recursive: true }))

function openNew(name: string, content: Uint8Array, most?: number) {
  const path = join(directory, name)
  writeFileSync(path, content)
  const file = openFile(path)
  if (!file) throw new Error("A file that was just written is there.")
  const archive = openArchive({ ...file, name, digest: null }, most)
  return { path, archive }
}

/** What came of it, and why no more did. */
async function drain({ stream, whole }: ReturnType<typeof openArchive>) {
  let bytes = 0
  try {
    for await (const chunk of stream) bytes += chunk.length
  } catch {}
  const problem = await whole.then(
    () => null,
    (error: Error) => error.message,
  )
  return { bytes, problem }
}

it.each([
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
])("O30: a small file packed with %s is not unpacked without end", async (name, pack) => {
  const bomb = pack(Buffer.alloc(64 * megabyte))
  expect(bomb.length).toBeLessThan(megabyte / 8)
  const { bytes, problem } = await drain(openNew(name, bomb, 8 * megabyte).archive)
  expect(problem).toBe(`It unpacks to more than ${8 * megabyte} bytes.`)
  expect(bytes).toBeLessThanOrEqual(8 * megabyte)
})

it.each([
  ["grows", (path: string) => appendFileSync(path, "more")],
  ["is cut off", (path: string) => truncateSync(path, megabyte)],
])("O30: a file that %s while it is read is not taken for whole", async (name, change) => {
  const { path, archive } = openNew(name, Buffer.alloc(8 * megabyte, 1))
  const reader = archive.stream.getReader()
  await reader.read()
  change(path)
  reader.releaseLock()
  expect((await drain(archive)).problem).toBe("It was changed while it was read.")
})

it("O30: a file that is whole says so", async () => {
  const content = Buffer.alloc(megabyte, 1)
  expect(await drain(openNew("whole", gzipSync(content)).archive)).toEqual({
    bytes: megabyte,
    problem: null,
  })
})
