import { expect, it, onTestFinished } from "vitest"
import { localBench } from "../../../test/support/tools/tool-bench.ts"
import type { Envelope } from "../../contract/index.ts"
import { memoryLimits } from "../../store/index.ts"

const open = async () => {
  const bench = await localBench.open()
  onTestFinished(() => bench[Symbol.asyncDispose]())
  return bench
}

// biome-ignore lint/suspicious/noExplicitAny: what a test reads out of an answer.
function resultOf(envelope: Envelope): any {
  expect(envelope).toMatchObject({ ok: true })
  return envelope.ok ? envelope.result : null
}

it("Y14.memory: memory.write remembers, memory.read and memory.list show, memory.delete forgets", async () => {
  const { call } = await open()
  const first = resultOf(await call("memory.write", { namespace: "user", content: "Likes tea." }))
  expect(first).toEqual({
    kind: "memory",
    namespace: "user",
    id: expect.stringMatching(/^memory_\w{12}$/),
    mode: "append",
    bytes: 10,
    replaced: 0,
    entry_count: 1,
  })
  const { id } = first
  await call("memory.write", { namespace: "user", content: "Lives in Köln." })
  expect(resultOf(await call("memory.read", { namespace: "user" }))).toEqual({
    kind: "memory",
    namespace: "user",
    text: "Likes tea.\nLives in Köln.",
    entries: [
      expect.objectContaining({ id, content: "Likes tea." }),
      expect.objectContaining({ content: "Lives in Köln." }),
    ],
    entry_count: 2,
    truncated: false,
  })
  const replacement = { namespace: "user", content: "Likes cocoa.", mode: "replace", id }
  expect(resultOf(await call("memory.write", replacement))).toMatchObject({ id, replaced: 1 })
  const one = resultOf(await call("memory.read", { namespace: "user", id }))
  expect(one).toMatchObject({ text: "Likes cocoa.", entry_count: 2, truncated: false })
  expect(resultOf(await call("memory.list", {}))).toMatchObject({
    kind: "namespaces",
    namespaces: [{ namespace: "user", entries: 2, bytes: 27 }],
    namespace_count: 1,
  })
  const gone = resultOf(await call("memory.delete", { namespace: "user", id }))
  expect(gone).toEqual({ kind: "memory", namespace: "user", deleted: 1, entry_count: 1 })
  expect(resultOf(await call("memory.delete", { namespace: "user" }))).toMatchObject({ deleted: 1 })
  expect(resultOf(await call("memory.list", {}))).toMatchObject({ namespaces: [] })
})

it("Y14: memory.search answers with what matched how, and warns of what it could not do", async () => {
  const embeddings = { url: "http://127.0.0.1:1/v1", model: "none" }
  const bench = await localBench.open({ settings: { models: { embeddings } } })
  onTestFinished(() => bench[Symbol.asyncDispose]())
  await bench.call("memory.write", { namespace: "user", content: "Her bicycle is red." })
  const envelope = await bench.call("memory.search", { query: "red bicycles", namespace: "user" })
  expect(envelope).toMatchObject({
    ok: true,
    result: {
      kind: "search",
      query: "red bicycles",
      results: [
        {
          namespace: "user",
          snippet: "Her bicycle is red.",
          whole: true,
          score: 1,
          matched_by: ["keyword"],
        },
      ],
      result_count: 1,
    },
    warnings: ["By keyword only. Search by meaning failed: 127.0.0.1:1 can't be reached."],
  })
  const nothing = await bench.call("memory.search", { query: "moon", mode: "keyword" })
  expect(resultOf(nothing)).toMatchObject({ results: [], result_count: 0 })
})

it("O8, O10: what is not there is not_found, and says what there is", async () => {
  const { call } = await open()
  const missing = (name: string, input: object) => call(`memory.${name}`, input)
  expect(await missing("read", { namespace: "user" })).toMatchObject({
    ...{ ok: false, kind: "not_found", field: "namespace" },
    message: 'There is no namespace "user" in memory. Nothing has been written to memory yet.',
  })
  await call("memory.write", { namespace: "user", content: "a" })
  await call("memory.write", { namespace: "project/website", content: "b" })
  const near = 'There is no namespace "usr" in memory. Near it: "user".'
  for (const [name, more] of [
    ["read", {}],
    ["delete", {}],
    ["search", { query: "a", mode: "keyword" }],
  ] as const) {
    const envelope = await missing(name, { namespace: "usr", ...more })
    expect(envelope).toMatchObject({ ok: false, kind: "not_found", message: near })
  }
  expect(await missing("read", { namespace: "something else" })).toMatchObject({
    message: expect.stringContaining('There are: "project/website", "user".'),
  })
  for (const name of ["read", "delete"]) {
    const envelope = await missing(name, { namespace: "user", id: "memory_none" })
    expect(envelope).toMatchObject({ ok: false, kind: "not_found", field: "id" })
  }
  const replace = { namespace: "user", content: "c", mode: "replace", id: "memory_none" }
  expect(await call("memory.write", replace)).toMatchObject({ kind: "not_found", field: "id" })
})

it("O8: what can't be kept is refused before anything is opened or changed", async () => {
  const { call } = await open()
  const write = (input: object) =>
    call("memory.write", { namespace: "user", content: "a", ...input })
  const most = memoryLimits.entryBytes
  for (const [input, field] of [
    [{ content: "x".repeat(most + 1) }, "content"],
    [{ content: "ü".repeat(most / 2 + 1) }, "content"],
    [{ content: "half \ud800" }, "content"],
    [{ content: "" }, "content"],
    [{ id: "memory_a" }, "id"],
    [{ namespace: "" }, "namespace"],
    [{ namespace: " a" }, "namespace"],
    [{ namespace: "a\nb" }, "namespace"],
    [{ namespace: "a".repeat(201) }, "namespace"],
  ] as const) {
    expect(await write(input)).toMatchObject({ ok: false, kind: "invalid_args", field })
  }
  expect(resultOf(await call("memory.list", {}))).toMatchObject({ namespace_count: 0 })
  expect(await write({ content: "ü".repeat(most / 2) })).toMatchObject({ ok: true })
})

it("O34: a namespace that is too much for one answer is read in pieces, each entry whole", async () => {
  const { call } = await open()
  const content = (index: number) => `${index} ${"ü".repeat(9_000)}`
  for (let index = 0; index < 7; index += 1) {
    await call("memory.write", { namespace: "big", content: content(index) })
  }
  const read: string[] = []
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = resultOf(await call("memory.read", { namespace: "big", offset }))
    expect(page).toMatchObject({ entry_count: 7, truncated: page.next_offset !== undefined })
    read.push(...page.entries.map((entry: { content: string }) => entry.content))
    offset = page.next_offset
  }
  expect(read).toEqual(Array.from({ length: 7 }, (_, index) => content(index)))
})

it("O8, Y14: a namespace has nothing invisible in it, and no space around it", async () => {
  const { call } = await open()
  for (const namespace of ["a\u200bb", "\u202euser", "user\u00ad", "a\u0007", " user", "\ue000"]) {
    for (const tool of ["memory.write", "memory.read", "memory.delete", "memory.search"]) {
      const more = { "memory.write": { content: "x" }, "memory.search": { query: "x" } }[tool]
      expect(await call(tool, { namespace, ...more })).toMatchObject({
        ok: false,
        kind: "invalid_args",
        field: "namespace",
      })
    }
  }
})
