import { join } from "node:path"
import { expect, it } from "vitest"
import { sha256 } from "../../src/node/index.ts"
import { exportSession, importSession } from "../../src/session/index.ts"
import { openRecord, type RecordReader, type RecordStore } from "../../src/store/index.ts"
import { makeDirectory } from "./record-fixture.ts"

async function makeStore(): Promise<RecordStore> {
  return openRecord({ file: join(makeDirectory(), "record.sqlite") })
}

const at = 1_700_000_000_000
const said = [{ type: "text", text: "ß 🚗 \0" }]
const question = { kind: "approval", text: "May I?", tool: "shell.exec", input: {} }

const fileText = "what was in a file \0 🚗\r\n"

const effects = (hash: string) => {
  const none = { count: 0, first: [] }
  const file = { path: "a", type: "file", bytes: 9, before: { unknown: "x" }, after: { hash } }
  return {
    ...{ call: "1", sandbox: "default", shared: [] },
    files: { below: "/", created: none, changed: { count: 1, first: [file] }, removed: none },
  }
}

/** A session with a branch, a large body, an unfinished call with output, and two questions. */
async function fillSession(store: RecordStore): Promise<void> {
  const session = await store.open("work")
  const [hash] = await session.putTexts([fileText])
  await session.append([
    { kind: "message", at, body: { message: { role: "user", content: said } }, isMilestone: true },
    { kind: "call", at, body: { call: "1", tool: "shell.exec", input: {} }, opens: "call:1" },
    { kind: "envelope", at, body: { call: "0", envelope: { tool: "x".repeat(100_000) } } },
    { kind: "branched", at, body: null, parent: 1 },
    ...[1, 2].map(() => ({ kind: "call-effects", at, body: effects(hash ?? "") })),
  ])
  await session.putOutput("1", { head: "printed\0", tail: "more", bytes: 99 })
  await session.ask({ id: "open", call: "1", askedAt: at, body: question })
  await session.ask({ id: "answered", call: "1", askedAt: at, body: question })
  await store.answer("answered", { kind: "approved" })
  await session.takeAnswer("answered")
  await session.append([], "waiting")
  await session.close()
}

async function linesOf(store: RecordStore, name: string): Promise<readonly string[]> {
  return Array.fromAsync(exportSession(store, name))
}

async function* bytesOf(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  // In pieces that split characters.
  const all = Buffer.from(lines.join(""))
  for (let start = 0; start < all.length; start += 997) yield all.subarray(start, start + 997)
}

/** Everything of a session but the ids, which are its own. */
async function contentOf(reader: RecordReader | null) {
  return {
    entries: (await reader?.entries())?.map(({ id: _, ...entry }) => entry),
    unclosed: (await reader?.unclosed())?.map(({ key, sequence }) => [key, sequence]),
    output: await reader?.output("1"),
    questions: (await reader?.questions())?.map(({ session: _, ...question }) => question),
    open: (await reader?.openQuestions())?.map(({ id }) => id),
    state: (await reader?.session())?.state,
  }
}

it("F20: an exported session is imported as it was: branches, outputs, questions and all", async () => {
  await using store = await makeStore()
  await fillSession(store)
  const lines = await linesOf(store, "work")
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    ...{ toolkeep: "session", version: 1, name: "work", entries: 6, questions: 2 },
  })
  await using other = await makeStore()
  const imported = await importSession(other, bytesOf(lines))
  expect(imported).toEqual({ name: "work", entries: 6, questions: 2 })
  expect(lines.filter((line) => line.includes('"texts"'))).toHaveLength(1)
  expect(await (await other.read("work"))?.text(sha256(fileText))).toBe(fileText)
  const before = await contentOf(await store.read("work"))
  expect(await contentOf(await other.read("work"))).toEqual(before)
  const [first, ...rest] = await linesOf(other, "work")
  expect(rest).toEqual(lines.slice(1))
  expect(JSON.parse(first ?? "")).toMatchObject({ entries: 6 })

  // Beside the first, a question of the same name is another one.
  await importSession(store, bytesOf(lines), "copy")
  const copy = await store.read("copy")
  const [question] = (await copy?.openQuestions()) ?? []
  await store.answer(question?.id ?? "", true)
  expect(await store.question("open")).toMatchObject({ answer: null })
  expect(await contentOf(copy)).toMatchObject({ entries: before.entries })
})

it("F18, X7: an imported session brings no permission, no answer that waits to take effect, and no files of this machine", async () => {
  await using store = await makeStore()
  const session = await store.open("work")
  const run = { model: "m", system: "", limits: { rounds: 1e9, calls: 1e9, tokens: 500 } }
  const checkpoint = {
    kind: "recorded",
    checkpoint: { sandboxes: [{ mounts: [{ source: "/" }] }] },
  }
  await session.append([
    { kind: "grant", at, body: { tool: "shell.exec" }, opens: "grant:1" },
    { kind: "note", at, body: null, opens: "grant:2" },
    { kind: "checkpoint", at, body: checkpoint, isMilestone: true },
    { kind: "settings", at, body: { flags: { host: "local" } }, isMilestone: true },
    { kind: "run", at, body: run, isMilestone: true },
  ])
  await session.ask({ id: "question", call: "1", askedAt: at, body: question })
  await store.answer("question", { kind: "approved" })
  await session.close()
  await using other = await makeStore()
  await importSession(other, bytesOf(await linesOf(store, "work")))
  const imported = await other.read("work")
  expect(await imported?.unclosed()).toEqual([])
  expect(await imported?.openQuestions()).toMatchObject([{ id: "question", answer: null }])
  const [, , files, settings, started] = (await imported?.entries()) ?? []
  expect(files).toMatchObject({
    kind: "checkpoint",
    body: { kind: "missing", why: expect.stringContaining("imported") },
  })
  // Whoever goes on chooses the host, the network and the policy; the defaults hold where there are any.
  expect(settings?.kind).toBe("imported-settings")
  expect(started?.body).toEqual({ ...run, limits: { tokens: 500 } })
})

it("F18: a file that is cut, cyclic, repeated, huge, newer or not a session is refused in one sentence, and nothing is imported", async () => {
  await using store = await makeStore()
  await fillSession(store)
  const lines = await linesOf(store, "work")
  const [first = "", ...rest] = lines
  const changed = (index: number, change: object) =>
    lines.map((line, at) =>
      at === index ? `${JSON.stringify({ ...JSON.parse(line), ...change })}\n` : line,
    )
  const deep = `{"sequence":1,"parent":null,"kind":"a","at":1,"body":${"[".repeat(200_000)}${"]".repeat(200_000)}}\n`
  const bad: Readonly<Record<string, [readonly string[], string]>> = {
    empty: [[], "the file is empty"],
    text: [["Hello.\n"], "line 1 is cut off or is not a JSON object"],
    other: [['{"name": "work"}\n'], "this is not an exported session"],
    newer: [changed(0, { version: 2 }), "newer Toolkeep (its version is 2, this one knows 1)"],
    "cut at a line": [lines.slice(0, 3), "is cut off: it has 2 of 6 entries"],
    "cut in a line": [[...lines.slice(0, 3), (lines[3] ?? "").slice(0, 50)], "line 4 is cut off"],
    "cut before a question": [lines.slice(0, -1), "it has 1 of 2 questions"],
    cyclic: [changed(2, { parent: 3 }), "line 3 has an entry that does not follow an earlier one"],
    "follows itself": [changed(2, { parent: 2 }), "line 3 has an entry that does not follow"],
    repeated: [
      [first, ...rest.slice(0, 2), ...rest.slice(1)],
      "line 4 has entry 2 instead of entry 3",
    ],
    "left out": [[first, ...rest.slice(1)], "line 2 has entry 2 instead of entry 1"],
    more: [[...lines, "{}\n"], "line 10 comes after the last line that the first one announces"],
    huge: [changed(0, { entries: 1e12 }), "at most 1000000 can be imported"],
    negative: [changed(0, { entries: -1 }), "lacks the session's name"],
    "without a kind": [changed(1, { kind: 7 }), "line 2 has an entry without a kind"],
    "a bad output": [changed(2, { output: { call: "1" } }), "line 3 has an output"],
    "bad texts": [changed(5, { texts: ["a", 1] }), "line 6 has texts of files"],
    "bad effects": [changed(5, { body: { ...effects(""), files: {} } }), "not what its kind says"],
    deep: [[changed(0, { entries: 1, questions: 0 })[0] ?? "", deep], "nested too deeply"],
  }
  await using other = await makeStore()
  for (const [what, [given, reason]] of Object.entries(bad)) {
    const failure = await importSession(other, bytesOf(given)).catch((error) => error)
    expect([what, failure.name, failure.message]).toEqual([
      what,
      "ToolFailure",
      expect.stringContaining(reason),
    ])
    expect([what, await other.sessions()]).toEqual([what, []])
  }
  await expect(importSession(store, bytesOf(lines))).rejects.toThrow(
    'there is a session "work" already',
  )
  expect(await importSession(other, bytesOf(lines))).toMatchObject({ name: "work" })
})

it("F18: a line that is longer than memory should hold is refused before it is read to its end", async () => {
  await using store = await makeStore()
  let pieces = 0
  async function* endless() {
    const piece = Buffer.alloc(8 * 1024 * 1024, "x")
    for (;;) {
      pieces += 1
      yield piece
    }
  }
  await expect(importSession(store, endless())).rejects.toThrow(
    "a line has more than 134217728 bytes",
  )
  expect(pieces).toBe(17)
})
