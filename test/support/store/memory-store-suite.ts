import { describe, expect, it } from "vitest"
import type { MemoryStore } from "../../../src/store/memory/database/memory-store.ts"

export interface StoreSetting {
  /** A store without vectors, on a fresh place. */
  open(): Promise<MemoryStore>
}

const whole = { offset: 0, limit: 100 }

/** What every MemoryStore does, wherever it keeps what it is given. */
export function memoryStoreSuite(name: string, { open }: StoreSetting): void {
  const withStore = async (work: (store: MemoryStore) => Promise<void>) => {
    const store = await open()
    try {
      await work(store)
    } finally {
      await store.close()
    }
  }
  const append = (store: MemoryStore, namespace: string, content: string) =>
    store.write({ kind: "append", namespace, content })
  const keywords = async (store: MemoryStore, query: string, namespace?: string) => {
    const asked = { query, namespace, limit: 10, mode: "keyword" } as const
    return (await store.search(asked)).hits.map(({ snippet }) => snippet)
  }

  describe(`the memory in ${name}`, () => {
    it("Y14: keeps entries in their order, and pages through them", () =>
      withStore(async (store) => {
        expect(await store.read("user", whole)).toBeNull()
        const contents = ["one", "two\n\0 two", "三", "🚗"]
        for (const [index, content] of contents.entries()) {
          const written = await append(store, "user", content)
          expect(written).toMatchObject({ replaced: 0, entryCount: index + 1 })
        }
        const page = await store.read("user", whole)
        expect(page?.entries.map(({ content }) => content)).toEqual(contents)
        const middle = await store.read("user", { offset: 1, limit: 2 })
        expect(middle?.entries).toEqual(page?.entries.slice(1, 3))
        expect(middle?.entryCount).toBe(4)
        const [first] = page?.entries ?? []
        expect(await store.find("user", first?.id ?? "")).toEqual(first)
        expect(await store.find("other", first?.id ?? "")).toBeNull()
      }))

    it("Y14: replaces an entry in its place, or all of a namespace", () =>
      withStore(async (store) => {
        const { id } = await append(store, "user", "likes tea")
        await append(store, "user", "likes rain")
        await append(store, "other", "stays")
        const replace = { kind: "replace-entry", namespace: "user", id } as const
        const changed = await store.write({ ...replace, content: "likes cocoa" })
        expect(changed).toEqual({ id, replaced: 1, entryCount: 2 })
        expect(await keywords(store, "tea")).toEqual([])
        expect(await keywords(store, "cocoa")).toEqual(["likes cocoa"])
        const wrong = { ...replace, namespace: "other", content: "no" }
        await expect(store.write(wrong)).rejects.toMatchObject({ kind: "not_found", field: "id" })
        const all = { kind: "replace-all", namespace: "user", content: "likes nothing" } as const
        expect(await store.write(all)).toMatchObject({ replaced: 2, entryCount: 1 })
        expect(await keywords(store, "cocoa rain")).toEqual([])
        expect((await store.read("other", whole))?.entryCount).toBe(1)
      }))

    it("Y14: lists namespaces by prefix, and forgets one with its last entry", () =>
      withStore(async (store) => {
        const { id } = await append(store, "project/b", "äöü")
        await append(store, "project/a", "1234")
        await append(store, "project%", "x")
        const listed = await store.namespaces("project/")
        expect(listed).toMatchObject([
          { name: "project/a", entryCount: 1, bytes: 4 },
          { name: "project/b", entryCount: 1, bytes: 6 },
        ])
        expect(await store.remove("project/b", "memory_none")).toBe(0)
        expect(await store.remove("project/b", id)).toBe(1)
        expect(await store.remove("project/a")).toBe(1)
        expect(await store.remove("project/a")).toBe(0)
        expect((await store.namespaces()).map((one) => one.name)).toEqual(["project%"])
        expect(await keywords(store, "1234")).toEqual([])
      }))

    it("Y14: finds words in any form and script, the best first, in one namespace or all", () =>
      withStore(async (store) => {
        await append(store, "a", "The cat is running through the café.")
        await append(store, "a", "A dog and a cat and another cat.")
        await append(store, "b", "彼は東京で自動車を買った。")
        await append(store, "b", "Straße und Fluß, C++ und node.js")
        expect(await keywords(store, "runs")).toEqual(["The cat is running through the café."])
        expect(await keywords(store, "CAFE")).toHaveLength(1)
        expect(await keywords(store, "dog cat")).toEqual([
          "A dog and a cat and another cat.",
          "The cat is running through the café.",
        ])
        expect(await keywords(store, "東京")).toHaveLength(1)
        expect(await keywords(store, "自動車")).toHaveLength(1)
        expect(await keywords(store, "京東")).toEqual([])
        expect(await keywords(store, "node.js", "b")).toHaveLength(1)
        expect(await keywords(store, "node.js", "a")).toEqual([])
        expect(await keywords(store, "node.js", "c")).toEqual([])
      }))

    it("O12: takes any text for a query as words, and never as syntax", () =>
      withStore(async (store) => {
        await append(store, "a", "near or and not the moon")
        const hostile = ['"', "'; DROP TABLE entries; --", "moon*", "text:moon", "^moon", "{a b}:c"]
        const more = [
          "NEAR(moon, 2)",
          "moon AND",
          "OR",
          "(moon",
          "-moon",
          "\0",
          "moon\0",
          "🚗",
          "  ",
        ]
        const long = ["x".repeat(10_000), "moon ".repeat(3_000), "\ud800", "a OR b ".repeat(1_000)]
        for (const query of [...hostile, ...more, ...long]) {
          const found = await keywords(store, query)
          expect([query.slice(0, 20), found.length > 0]).toEqual([
            query.slice(0, 20),
            /moon|\bor\b|\band\b/i.test(query),
          ])
        }
        expect((await store.read("a", whole))?.entryCount).toBe(1)
      }))

    it("Y14: shows the piece of a long entry that has the words", () =>
      withStore(async (store) => {
        const filler = "Nothing of interest happened on that day. ".repeat(100)
        await append(store, "a", `${filler}The key is under the flowerpot. ${filler}`)
        const question = { query: "flowerpot key", limit: 1, mode: "keyword" } as const
        const { hits } = await store.search(question)
        expect(hits).toMatchObject([{ whole: false, matchedBy: ["keyword"], score: 1 }])
        expect(hits[0]?.snippet).toContain("under the flowerpot")
        expect(hits[0]?.snippet.length).toBeLessThanOrEqual(400)
      }))
  })
}
