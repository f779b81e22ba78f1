import type { PositionedEntry, RecordStore } from "../../../src/store/index.ts"
import { type BrokenStore, storing } from "./alter-store.ts"

/** All entries as a flaw has them, with positions without a gap. */
const reordering = (change: (all: readonly PositionedEntry[]) => readonly PositionedEntry[]) =>
  storing((good) => {
    const all = async () => {
      const found: PositionedEntry[] = []
      for (;;) {
        const page = await good.entries({ after: found.at(-1)?.position ?? 0 })
        if (page.length === 0) break
        found.push(...page)
      }
      return change(found).map((one, index) => ({ ...one, position: index + 1 }))
    }
    return {
      position: async () => (await all()).length,
      entries: async ({ after }) => (await all()).filter(({ position }) => position > after),
    }
  })

const changing = (change: (entry: PositionedEntry) => readonly PositionedEntry[]) =>
  storing((good) => ({
    entries: async (query) => (await good.entries(query)).flatMap(change),
  }))

const following = (
  change: (entries: AsyncIterable<PositionedEntry>) => AsyncIterable<PositionedEntry>,
) =>
  storing((good: RecordStore) => ({
    follow: (query) => change(good.follow(query)),
  }))

/** Flaws in the order of the entries of all sessions. */
export const brokenPositions: readonly BrokenStore[] = [
  {
    flaw: "orders the entries of all sessions session by session",
    caughtBy: ["positions.times"],
    breakStore: reordering((all) =>
      all.toSorted(
        (a, b) => a.session.id.localeCompare(b.session.id) || a.entry.sequence - b.entry.sequence,
      ),
    ),
  },
  {
    flaw: "uses the positions of deleted entries again",
    caughtBy: ["positions.deleted"],
    breakStore: reordering((all) => all),
  },
  {
    flaw: "fills a position that those who follow have passed",
    caughtBy: ["positions.at-once"],
    breakStore: following(async function* (entries) {
      let late: PositionedEntry | undefined
      for await (const entry of entries) {
        late ??= entry
        if (entry === late) continue
        yield entry
        if (entry.position === late.position + 1) yield late
      }
    }),
  },
  {
    flaw: "repeats an entry of all sessions to those who follow",
    caughtBy: ["positions.at-once", "positions.across"],
    breakStore: following(async function* (entries) {
      for await (const entry of entries) yield* [entry, entry]
    }),
  },
  {
    flaw: "begins with the position that a reader has",
    caughtBy: ["positions.resumed"],
    breakStore: storing((good) => ({
      entries: ({ after, ...query }) => good.entries({ ...query, after: Math.max(0, after - 1) }),
    })),
  },
  {
    flaw: "does not say which session began another",
    caughtBy: ["positions.all"],
    breakStore: changing((one) => [{ ...one, session: { ...one.session, parent: null } }]),
  },
  {
    flaw: "leaves large entries of all sessions out",
    caughtBy: ["positions.large"],
    breakStore: changing((one) => (JSON.stringify(one.entry.body).length > 8_192 ? [] : [one])),
  },
  {
    flaw: "goes on with all sessions after it was told to stop",
    caughtBy: ["positions.aborted"],
    breakStore: storing((good) => ({
      async *follow({ after, signal }) {
        yield* await good.entries({ after })
        signal?.throwIfAborted()
      },
    })),
  },
]
