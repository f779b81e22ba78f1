import type { PositionedEntry, RecordStore, SessionRecord } from "../../store/index.ts"
import { requireEqual, requireThat } from "../measure/require.ts"
import { defineRecordChecks, note, take } from "./record-check.ts"

/** Those of these sessions: others may be in the same store. */
function ownOf(entries: readonly PositionedEntry[], sessions: readonly SessionRecord[]) {
  return entries.filter(({ session }) => sessions.some(({ id }) => id === session.id))
}

const textOf = ({ entry }: PositionedEntry) => (entry.body as { text: string }).text

/** All of them, however many one answer gives. */
async function allAfter(store: RecordStore, after: number, limit?: number) {
  const all: PositionedEntry[] = []
  for (;;) {
    const from = all.at(-1)?.position ?? after
    const page = await store.entries({ after: from, limit })
    if (page.length === 0) return all
    requireThat((page[0]?.position ?? 0) > from, `entries after ${from} begin before that`)
    all.push(...page)
  }
}

function requireGrowing(entries: readonly PositionedEntry[]): void {
  const positions = entries.map(({ position }) => position)
  const back = positions.findIndex((position, index) => position <= (positions[index - 1] ?? -1))
  requireThat(back === -1, `position ${positions[back]} comes after ${positions[back - 1]}`)
}

const promises = {
  all: "the entries of all sessions are read in one order, with those of each session in its own",
  resumed: "from any position on every later entry is read, once",
  times: "what was recorded between two entries of another session is between them",
  "at-once":
    "of entries that processes append at once none is before a position that a reader has passed",
  across: "entries of new sessions of other processes are followed as they come",
  large: "large bodies and thousands of entries are read page by page",
  deleted:
    "a deleted session leaves the order of the others as it is, and no position is used again",
  aborted: "following all sessions ends when its signal aborts",
}

export const positions = defineRecordChecks("positions", promises, {
  async all({ store, name }) {
    const one = await store()
    const before = await one.position()
    const sessions = [await one.open(name()), await one.open(name())]
    const [first, second] = sessions
    const [child] = [await one.open(name(), { parent: { session: first?.id ?? "", call: "1" } })]
    await first?.append([note("a"), note("b")])
    await second?.append([note("c")])
    await child.append([note("d")])
    await first?.append([note("e", { isMilestone: true })])
    const found = ownOf(await allAfter(one, before), [...sessions, child])
    requireGrowing(found)
    requireEqual("the texts", found.map(textOf).toSorted(), ["a", "b", "c", "d", "e"])
    const ofFirst = found.filter(({ session }) => session.id === first?.id)
    requireEqual(
      "the first",
      ofFirst.map(({ entry }) => entry),
      await first?.entries(),
    )
    const ofChild = found.find(({ session }) => session.id === child.id)?.session
    const { id, parent } = (await child.session()) ?? {}
    requireEqual("the child", ofChild, { id, name: child.name, parent })
    const last = await one.position()
    requireThat(last >= (found.at(-1)?.position ?? 0), "an entry is after the last position")
    requireEqual("what is after the last position", ownOf(await allAfter(one, last), sessions), [])
    return "read three sessions in one order"
  },
  async resumed({ store, name }) {
    const one = await store()
    const before = await one.position()
    const sessions = [await one.open(name()), await one.open(name())]
    for (const text of ["a", "b", "c"]) {
      for (const session of sessions) await session.append([note(text), note(text)])
      // What is asked for in between must not change what comes later.
      await one.position()
    }
    const own = (entries: readonly PositionedEntry[]) => ownOf(entries, sessions)
    const all = own(await allAfter(one, before))
    requireEqual("how many there are", all.length, 12)
    const other = await store()
    for (const [index, { position }] of all.entries()) {
      const rest = own(await allAfter(other, position, 1 + (index % 3)))
      requireEqual(`what is after ${position}`, rest, all.slice(index + 1))
    }
    return "read on after each of 12 entries, in another process"
  },
  async times({ store, name }) {
    const one = await store()
    const before = await one.position()
    const [parent, child] = [await one.open(name()), await one.open(name())]
    await parent.append([note("begin", { at: 10 })])
    await child.append([note("work", { at: 20 }), note("back", { at: 5 })])
    await parent.append([note("end", { at: 30 })])
    const found = ownOf(await allAfter(one, before), [parent, child])
    requireEqual("the texts", found.map(textOf), ["begin", "work", "back", "end"])
    return "read two sessions of which one worked for the other"
  },
  async "at-once"({ store, name, signal }) {
    const reader = await store()
    const before = await reader.position()
    const writers = [await store(), await store(), await store()]
    const sessions = await Promise.all(writers.map((writer) => writer.open(name())))
    const stop = new AbortController()
    const following = AbortSignal.any([signal, stop.signal])
    const seen: PositionedEntry[] = []
    const followed = (async () => {
      for await (const one of reader.follow({ after: before, signal: following })) {
        seen.push(...ownOf([one], sessions))
        if (seen.length === 90) stop.abort()
      }
    })()
    await Promise.all(
      sessions.map(async (session) => {
        for (let count = 0; count < 30; count += 1) await session.append([note(`${count}`)])
      }),
    )
    await followed
    requireGrowing(seen)
    const again = ownOf(await allAfter(await store(), before), sessions)
    requireEqual("what another process reads", again, seen)
    for (const session of sessions) {
      const own = seen.filter((one) => one.session.id === session.id)
      requireEqual(
        "those of one session",
        own.map(({ entry }) => entry),
        await session.entries(),
      )
    }
    return "followed 90 entries that three processes appended at once"
  },
  async across({ store, name, signal }) {
    const [one, other] = [await store(), await store()]
    const after = await other.position()
    const names = [name(), name(), name()]
    const opened: SessionRecord[] = []
    const openNext = async () => {
      const next = names[opened.length]
      if (next === undefined) return
      const session = await one.open(next)
      opened.push(session)
      await session.append([note("a")])
    }
    const writing = [openNext()]
    const own = (async function* () {
      for await (const each of other.follow({ after, signal })) {
        if (names.includes(each.session.name)) yield each
      }
    })()
    const found = await take(own, 3, () => void writing.push(openNext()))
    await Promise.all(writing)
    requireEqual(
      "the sessions",
      found.map(({ session }) => session.name),
      names,
    )
    return "made each session when the other process had read the one before"
  },
  async large({ store, name }) {
    const one = await store()
    const before = await one.position()
    const sessions = [await one.open(name()), await one.open(name())]
    const texts = Array.from({ length: 1_500 }, (_, index) => `${index}`)
    const long = "large ".repeat(20_000)
    for (const session of sessions) {
      await session.append([...texts, long].map((text) => note(text)))
    }
    const found = ownOf(await allAfter(one, before), sessions)
    requireGrowing(found)
    for (const { id } of sessions) {
      const own = found.filter(({ session }) => session.id === id).map(textOf)
      requireThat(own.join() === [...texts, long].join(), "entries are missing or changed")
    }
    return "read 3,002 entries of two sessions"
  },
  async deleted({ store, name }) {
    const one = await store()
    const before = await one.position()
    const [gone, stays] = [await one.open(name()), await one.open(name())]
    await gone.append([note("a")])
    await stays.append([note("b")])
    const first = ownOf(await allAfter(one, before), [gone, stays])
    await stays.append([note("c")])
    await one.position()
    await gone.append([note("d")])
    const last = await one.position()
    await gone.remove()
    const next = await one.open(name())
    await next.append([note("e")])
    const found = ownOf(await allAfter(await store(), before), [gone, stays, next])
    requireEqual("the texts", found.map(textOf), ["b", "c", "e"])
    requireEqual(
      "where the other was",
      found[0],
      first.find((each) => textOf(each) === "b"),
    )
    requireThat((found[2]?.position ?? 0) > last, "the position of a deleted entry is used again")
    return "deleted the session with the last position"
  },
  async aborted({ store, name }) {
    const one = await store()
    const before = await one.position()
    const session = await one.open(name())
    await session.append([note("a"), note("b"), note("c")])
    const stop = new AbortController()
    const seen: string[] = []
    for await (const each of one.follow({ after: before, signal: stop.signal })) {
      seen.push(...ownOf([each], [session]).map(textOf))
      if (seen.length === 2) stop.abort()
    }
    requireEqual("the texts", seen, ["a", "b"])
    return "aborted it at the second of three entries"
  },
})
