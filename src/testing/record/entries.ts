import type { RecordEntry, RecordReader } from "../../store/index.ts"
import { rejectionOf, requireEqual, requireFailure, requireThat } from "../measure/require.ts"
import { defineRecordChecks, note } from "./record-check.ts"

const textsOf = (entries: readonly RecordEntry[]) =>
  entries.map(({ body }) => (body as { text: string }).text)

/** All of them, however many one answer gives. */
async function allOf(reader: RecordReader): Promise<readonly RecordEntry[]> {
  const all: RecordEntry[] = []
  for (;;) {
    const after = all.at(-1)?.sequence ?? 0
    const page = await reader.entries({ after })
    if (page.length === 0) return all
    requireThat((page[0]?.sequence ?? 0) > after, `entries after ${after} begin before that`)
    all.push(...page)
  }
}

const orderPromises = {
  numbers: "entries are numbered from 1 without a gap, in the order in which they were appended",
  times: "the order of entries is that of their numbers, whatever their times say",
  "at-once": "of appends that are made at once each stays together, and none is lost",
  refused:
    "of appends that are made at once one that is refused takes no other with it, and leaves no gap",
  pages: "entries are read from any number, forwards and backwards, as many as are asked for",
  many: "a session of thousands of entries is read page by page, each entry once",
}

export const order = defineRecordChecks("order", orderPromises, {
  async numbers({ store, name }) {
    const session = await (await store()).open(name())
    await session.append([note("a"), note("b")])
    await session.append([note("c")])
    const entries = await session.entries()
    requireEqual("the texts", textsOf(entries), ["a", "b", "c"])
    const numbers = entries.map(({ sequence }) => sequence)
    requireEqual("the numbers", numbers, [1, 2, 3])
    requireEqual("the last number", (await session.session())?.head, 3)
    requireThat(new Set(entries.map(({ id }) => id)).size === 3, "two entries have the same id")
    return "read three entries of two appends"
  },
  async times({ store, name }) {
    const session = await (await store()).open(name())
    await session.append([note("a", { at: 3_000 }), note("b", { at: 1_000 })])
    await session.append([note("c", { at: 2_000 })])
    const entries = await session.entries()
    requireEqual("the texts", textsOf(entries), ["a", "b", "c"])
    const times = entries.map(({ at }) => at)
    requireEqual("the times", times, [3_000, 1_000, 2_000])
    return "appended entries whose times go back"
  },
  async "at-once"({ store, name }) {
    const session = await (await store()).open(name())
    const pairs = Array.from({ length: 40 }, (_, index) => [`${index} a`, `${index} b`] as const)
    await Promise.all(pairs.map(([a, b]) => session.append([note(a), note(b)])))
    const texts = textsOf(await allOf(session))
    requireEqual("how many there are", texts.length, 80)
    for (const [a, b] of pairs) {
      requireEqual(`what follows ${a}`, texts[texts.indexOf(a) + 1], b)
    }
    return "made 40 appends of two entries at once"
  },
  async refused({ store, name }) {
    const session = await (await store()).open(name())
    const [, refused] = await Promise.allSettled([
      session.append([note("a")]),
      session.append([note("b"), note("none", { parent: 99 })]),
      session.append([note("c")]),
    ])
    requireEqual("what became of the one that follows nothing", refused?.status, "rejected")
    const [added] = await session.append([note("d")])
    const entries = await session.entries()
    requireEqual("the texts", textsOf(entries), ["a", "c", "d"])
    const numbers = entries.map(({ sequence }) => sequence)
    requireEqual("the numbers", numbers, [1, 2, 3])
    requireEqual("the number that the last was said to have", added?.sequence, 3)
    return "made three appends at once, of which one was refused, and one more"
  },
  async pages({ store, name }) {
    const opened = await store()
    const [before, session, after] = [
      await opened.open(name()),
      await opened.open(name()),
      await opened.open(name()),
    ]
    for (const other of [before, after]) await other.append([note("another session's")])
    await session.append(["a", "b", "c", "d", "e"].map((text) => note(text)))
    const read = async (query: Parameters<RecordReader["entries"]>[0]) =>
      textsOf(await session.entries(query)).join("")
    requireEqual("after 2", await read({ after: 2 }), "cde")
    requireEqual("after 2, two of them", await read({ after: 2, limit: 2 }), "cd")
    requireEqual("before 5, the newest first", await read({ before: 5 }), "dcba")
    requireEqual("before 5 and after 1", await read({ before: 5, after: 1, limit: 2 }), "dc")
    requireEqual("after the last", await read({ after: 5 }), "")
    requireEqual("before the first", await read({ before: 1 }), "")
    for (const far of [2 ** 26, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
      requireEqual(`after ${-far}`, await read({ after: -far }), "abcde")
      requireEqual(`after ${far}`, await read({ after: far }), "")
      requireEqual(`before ${far}`, await read({ before: far }), "edcba")
      requireEqual(`before ${-far}`, await read({ before: -far }), "")
    }
    return "read five entries in parts"
  },
  async many({ store, name }) {
    const session = await (await store()).open(name())
    const texts = Array.from({ length: 3_000 }, (_, index) => `${index}`)
    await session.append(texts.map((text) => note(text)))
    requireEqual("the texts", textsOf(await allOf(session)).join(), texts.join())
    return "read 3,000 entries"
  },
})

const branchPromises = {
  parents: "an entry follows the last one, or the earlier one that it names",
  roots: "an entry that names null as the one before starts a tree of its own",
  later: "an entry that would follow itself, a later one or none that there is, is refused",
}

export const branches = defineRecordChecks("branches", branchPromises, {
  async parents({ store, name }) {
    const session = await (await store()).open(name())
    await session.append([note("a"), note("b"), note("c")])
    await session.append([note("d", { parent: 1 }), note("e")])
    const parents = (await session.entries()).map(({ parent }) => parent)
    requireEqual("the parents", parents, [null, 1, 2, 1, 4])
    return "branched off the first of three entries"
  },
  async roots({ store, name }) {
    const session = await (await store()).open(name())
    await session.append([note("a")])
    await session.append([note("b", { parent: null })])
    const parents = (await session.entries()).map(({ parent }) => parent)
    requireEqual("the parents", parents, [null, null])
    return "appended a second entry without one before it"
  },
  async later({ store, name }) {
    const session = await (await store()).open(name())
    await session.append([note("a")])
    for (const parent of [2, 3, 99, 0, -1, 0.5]) {
      const work = session.append([note("b", { parent })])
      await requireFailure(`an entry after ${parent}`, work, "invalid_args")
    }
    requireEqual("how many entries there are", (await session.entries()).length, 1)
    return "named six entries that are not there"
  },
})

const appendPromises = {
  whole: "an append that is refused leaves nothing: no entry, no number, no key",
  answers: "an append answers with its entries as they are read afterwards",
  state: "an append can change the session's state, also without an entry",
  unclosed: "what was begun and has not ended is listed with its key, the oldest first",
}

export const appends = defineRecordChecks("appends", appendPromises, {
  async whole({ store, name }) {
    const session = await (await store()).open(name())
    await session.append([note("a", { opens: "kept" })])
    const circle: { self?: unknown } = {}
    circle.self = circle
    const bad = [note("c", { parent: 99 }), note("c", { body: circle }), note("c", { body: 1n })]
    for (const last of bad) {
      const work = session.append([note("b", { opens: "begun", closes: "kept" }), last], "running")
      await rejectionOf("an append with a bad entry", work)
    }
    requireEqual("the texts", textsOf(await session.entries()), ["a"])
    const keys = (await session.unclosed()).map(({ key }) => key)
    requireEqual("the keys", keys, ["kept"])
    const { head, state } = (await session.session()) ?? {}
    requireEqual("its head and state", { head, state }, { head: 1, state: "idle" })
    const [next] = await session.append([note("d")])
    requireEqual("the next number", next?.sequence, 2)
    return "appended good entries with a bad one behind them"
  },
  async answers({ store, name }) {
    const session = await (await store()).open(name())
    const first = await session.append([note("a"), note("b", { isMilestone: true })])
    const second = await session.append([note("c", { parent: 1 })])
    requireEqual("the answers", [...first, ...second], await session.entries())
    return "compared three entries"
  },
  async state({ store, name }) {
    const session = await (await store()).open(name())
    const stateNow = async () => (await session.session())?.state
    requireEqual("the first state", await stateNow(), "idle")
    await session.append([note("a")], "running")
    await session.append([note("b")])
    requireEqual("the state after an append that names none", await stateNow(), "running")
    requireEqual("the answer", await session.append([], "waiting"), [])
    requireEqual("the state after an empty append", await stateNow(), "waiting")
    return "changed it twice"
  },
  async unclosed({ store, name, open }) {
    const { store: first, kill } = await open()
    const session = await first.open(name())
    await session.append([note("a", { opens: "1" }), note("b", { opens: "2" })])
    await session.append([note("c", { opens: "3" }), note("d", { closes: "2" })])
    const before = await session.unclosed()
    const told = before.map(({ key, body }) => [key, (body as { text: string }).text])
    requireEqual("what is unclosed", told, [
      ["1", "a"],
      ["3", "c"],
    ])
    await kill()
    const again = await (await store()).open(session.name)
    requireEqual("what is unclosed after a kill", await again.unclosed(), before)
    await again.append([note("e", { closes: "1" }), note("f", { closes: "3" })])
    requireEqual("what is unclosed in the end", await again.unclosed(), [])
    return "began three things and ended them, over a kill"
  },
})

const bodyPromises = {
  unchanged: "bodies are read as they were given, whatever they hold",
  large: "a large body is read as it was given, also when another session that had it is deleted",
  once: "a large body takes room once, however often it is recorded",
  milestones: "milestones are found without the entries between them",
}

const oddTexts = ["", "\0", "a\0b", "ß 🚗 三", "\ud800", "'; DROP TABLE entries; --", "\u2028\r\n"]

function longText(seed: string): string {
  // Not the same piece again and again: a store may compress.
  return Array.from({ length: 20_000 }, (_, index) => `${seed} ${index * 7919} ${index}`).join(" ")
}

export const bodies = defineRecordChecks("bodies", bodyPromises, {
  async unchanged({ store, name }) {
    const values = [null, true, 0, -1.5, 1e300, [], {}, { a: [{ b: [[["c"]]] }] }, oddTexts]
    const writer = await store()
    const session = await writer.open(name())
    await session.append(values.map((body) => ({ kind: "odd \0 kind", at: 0, body })))
    const entries = (await (await (await store()).read(session.name))?.entries()) ?? []
    requireEqual(
      "the bodies",
      entries.map(({ body }) => body),
      values,
    )
    requireEqual("a kind", entries[0]?.kind, "odd \0 kind")
    return `wrote ${values.length} values of every type`
  },
  async large({ store, name }) {
    const writer = await store()
    const [one, other] = [await writer.open(name()), await writer.open(name())]
    const text = longText("large")
    await one.append([note(text), note("small"), note(text)])
    await other.append([note(text)])
    requireThat(
      textsOf(await one.entries()).join("|") === [text, "small", text].join("|"),
      "a large body came back changed",
    )
    await one.remove()
    const [left] = textsOf(await other.entries())
    requireThat(left === text, "a large body is gone with another session that had it too")
    return `wrote ${text.length} characters three times`
  },
  async once({ open, name }) {
    const { store, bytes } = await open()
    const session = await store.open(name())
    const text = longText("once")
    await session.append([note("before")])
    const before = await bytes()
    for (let count = 0; count < 10; count += 1) await session.append([note(text)])
    const grown = (await bytes()) - before
    requireThat(
      grown < text.length * 4,
      `recorded 10 times, ${text.length} characters took ${grown} bytes`,
    )
    return `${text.length} characters, recorded 10 times, took ${grown} bytes`
  },
  async milestones({ store, name }) {
    const session = await (await store()).open(name())
    const isMilestone = true
    await session.append([note("a", { isMilestone }), note("b"), note("c", { isMilestone })])
    await session.append([note("d"), note("e", { isMilestone })])
    const read = async (query: object) =>
      textsOf(await session.entries({ milestones: true, ...query })).join("")
    requireEqual("all of them", await read({}), "ace")
    requireEqual("the last two", await read({ before: 6, limit: 2 }), "ec")
    return "found three among five"
  },
})
