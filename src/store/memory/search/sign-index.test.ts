import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import type { SqliteDatabase, Transaction } from "../../sqlite/sqlite-database.ts"
import { addEntry, namespaceNumber, removeEntries } from "../database/entries.ts"
import { openMemoryDatabase } from "../database/memory-schema.ts"
import {
  registerEmbedder,
  signBits,
  storeVectors,
  takeBatch,
  unitVector,
} from "../database/vectors.ts"
import { searchVectors } from "./search-vectors.ts"
import { SignIndex, SignRows } from "./sign-index.ts"

const directory = await mkdtemp(join(tmpdir(), "toolkeep-signs-"))
afterAll(() => rm(directory, { recursive: true, force: true }))

/** The same vectors in every run, which have nothing to do with each other. */
function vectorOf(text: string, length = 72): Float32Array {
  let state = [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7)
  const vector = Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >> 8) / 2 ** 23
  })
  return unitVector(vector) ?? vector
}

async function openFile(name: string): Promise<SqliteDatabase> {
  const database = await openMemoryDatabase(join(directory, name))
  const { getLoadablePath } = await import("sqlite-vec")
  database.load(getLoadablePath())
  return database
}

function add(one: Transaction, namespace: string, texts: readonly string[]): readonly string[] {
  const ids = texts.map((content) => addEntry(one, { namespace, content, nowMs: 0 }))
  for (const id of ["another", "this"]) {
    const embedder = registerEmbedder(one, id)
    for (let batch = takeBatch(one, embedder); batch.length > 0; ) {
      const made = batch.map((chunk) => ({ chunk, vector: vectorOf(id + chunk.text) }))
      storeVectors(one, embedder, made)
      batch = takeBatch(one, embedder)
    }
  }
  return ids
}

const texts = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`)

function search(
  one: Transaction,
  index: SignIndex,
  asked: { readonly text: string; readonly namespace?: string; readonly candidates?: number },
): readonly string[] {
  const { text, namespace: name, candidates = 40 } = asked
  const embedder = registerEmbedder(one, "this")
  const namespace = name === undefined ? null : namespaceNumber(one, name)
  const within = { index, embedder, namespace, candidates }
  const near = searchVectors(one, vectorOf(`this${text}`), within)
  return near.map(({ entry }) =>
    String(one.get("SELECT content FROM entries WHERE number = ?", entry)?.content),
  )
}

it("Y14: the nearest by sign bits are those that a comparison of all finds", () => {
  for (const [length, count, most] of [
    [72, 500, 50],
    [512, 100, 7],
    [1, 20, 5],
    [40, 3, 10],
  ] as const) {
    const rowBytes = 8 * Math.ceil(length / 64)
    const all = texts("row", count).map((text) => signBits(vectorOf(text, length)))
    const chunks = [...all.keys()]
    const [even, odd] = [0, 1].map((rest) => chunks.filter((chunk) => chunk % 2 === rest))
    const groups = [even ?? [], odd ?? []].map((some, namespace) => {
      const padded = some.map((chunk) => {
        const row = Buffer.alloc(rowBytes)
        row.set(all[chunk] ?? [])
        return row
      })
      return { namespace, chunks: some, bits: Buffer.concat(padded) }
    })
    const rows = new SignRows(groups, rowBytes)
    const query = signBits(vectorOf("query", length))
    const differences = all.map((bits) => {
      const different = bits.map((byte, at) => byte ^ (query[at] ?? 0))
      return [...different].flatMap((byte) => [...byte.toString(2)]).filter((bit) => bit === "1")
        .length
    })
    const least = (chunks: readonly number[]) =>
      chunks.map((chunk) => differences[chunk] ?? 0).sort((a, b) => a - b)
    const found = rows.nearest(query, { namespace: null, most })
    expect(new Set(found).size).toBe(Math.min(most, count))
    expect(least(found)).toEqual(least(chunks).slice(0, most))
    const foundOdd = rows.nearest(query, { namespace: 1, most })
    expect(foundOdd.every((chunk) => chunk % 2 === 1)).toBe(true)
    expect(least(foundOdd)).toEqual(least(odd ?? []).slice(0, most))
  }
})

it("Y14: more vectors than are kept in memory are compared in the file, with the same results", async () => {
  const database = await openFile("many.db")
  await database.write((one) => {
    add(one, "a", texts("a", 300))
    add(one, "b", texts("b", 300))
  })
  const kept = new SignIndex(2)
  const tooMany = new SignIndex(2, 599 * 16)
  await database.read((one) => {
    expect(kept.rows(one, 9)).not.toBeNull()
    expect(tooMany.rows(one, 9)).toBeNull()
    for (const text of ["a 7", "b 8", "moon"]) {
      for (const namespace of [undefined, "a", "b"]) {
        const asked = { text, ...(namespace ? { namespace } : {}), candidates: 200 }
        const found = search(one, kept, asked).slice(0, 5)
        expect(search(one, tooMany, asked).slice(0, 5)).toEqual(found)
      }
    }
    expect(search(one, kept, { text: "a 7" })[0]).toBe("a 7")
    expect(search(one, kept, { text: "a 7", namespace: "b" })).not.toContain("a 7")
  })
  // One that fits at first may grow out of it.
  const growing = new SignIndex(2, 600 * 16)
  await database.read((one) => expect(growing.rows(one, 9)).not.toBeNull())
  await database.write((one) => add(one, "a", ["late"]))
  await database.read((one) => {
    expect(growing.rows(one, 9)).toBeNull()
    expect(search(one, growing, { text: "late" })[0]).toBe("late")
  })
  database.close()
})

it("Y14: what another process adds and removes is seen by the next search", async () => {
  const [here, other] = [await openFile("shared.db"), await openFile("shared.db")]
  const index = new SignIndex(2)
  const find = (text: string, namespace?: string) =>
    here.read((one) => search(one, index, { text, ...(namespace ? { namespace } : {}) }))
  await here.write((one) => registerEmbedder(one, "another"))
  await here.write((one) => registerEmbedder(one, "this"))
  expect(await find("x 0")).toEqual([])
  const [newest = ""] = await other.write((one) => add(one, "x", ["x 0"]))
  expect(await find("x 0")).toEqual(["x 0"])
  // The newest is gone, and what comes next is in its place.
  await other.write((one) => removeEntries(one, "x", newest))
  await other.write((one) => add(one, "x", ["x 1"]))
  expect(await find("x 1")).toEqual(["x 1"])
  // A few of what is nearest are gone, then nearly all: others take their places.
  const ids = await other.write((one) => add(one, "y", texts("y", 100)))
  const before = await find("y 3")
  expect(before).toHaveLength(40)
  expect(before[0]).toBe("y 3")
  await other.write((one) => removeEntries(one, "y", ids[3]))
  const after = await find("y 3")
  expect(after).toHaveLength(40)
  expect(after).toEqual(expect.arrayContaining(before.slice(1)))
  await other.write((one) => removeEntries(one, "y"))
  await other.write((one) => add(one, "y", ["y 100"]))
  expect([...(await find("y 3"))].sort()).toEqual(["x 1", "y 100"])
  expect(await find("y 3", "y")).toEqual(["y 100"])
  // A file that lacks some of its vectors is searched for the others.
  await other.write((one) =>
    one.run("DELETE FROM vectors WHERE number = (SELECT max(number) FROM vectors)"),
  )
  expect(await find("y 3")).toEqual(["x 1"])
  here.close()
  other.close()
})
