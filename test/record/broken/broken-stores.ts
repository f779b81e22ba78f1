import type {
  NewEntry,
  RecordEntry,
  RecordReader,
  RecordStore,
  SessionRecord,
} from "../../../src/store/index.ts"
import { alter, type BrokenStore, type Change, storing } from "./alter-store.ts"
import { brokenPositions } from "./broken-positions.ts"

const reading = (change: Change<RecordReader>) => (good: RecordStore) =>
  alter(good, { reader: change })
const writing = (change: Change<SessionRecord>) => (good: RecordStore) =>
  alter(good, { session: change })
/** Appends what the flaw makes of it. */
const appending = (alterOne: (entry: NewEntry, index: number) => NewEntry) =>
  writing((good) => ({
    append: (entries, state) => good.append(entries.map(alterOne), state),
  }))

const readingEntries = (change: (entries: readonly RecordEntry[]) => readonly RecordEntry[]) =>
  reading((good) => ({ entries: async (query) => change(await good.entries(query)) }))

/** The fence is missing: who had it first opens it again to write. */
const unfenced = writing((good) => ({
  append: async (entries, state) => {
    try {
      return await good.append(entries, state)
    } catch (error) {
      if (String(error).includes("opened again")) return []
      throw error
    }
  },
}))

export const brokenStores: readonly BrokenStore[] = [
  ...brokenPositions,
  {
    flaw: "gives the newest entries first",
    caughtBy: ["order.numbers", "order.pages"],
    breakStore: readingEntries((entries) => entries.toReversed()),
  },
  {
    flaw: "sorts entries by their time",
    caughtBy: ["order.times"],
    breakStore: readingEntries((entries) => entries.toSorted((a, b) => a.at - b.at)),
  },
  {
    flaw: "appends entries one by one",
    caughtBy: ["order.at-once", "appends.whole"],
    breakStore: writing((good) => ({
      async append(entries, state) {
        const made: RecordEntry[] = []
        for (const entry of entries) made.push(...(await good.append([entry], state)))
        if (entries.length === 0) await good.append([], state)
        return made
      },
    })),
  },
  {
    flaw: "counts entries that were refused",
    caughtBy: ["order.refused"],
    breakStore: writing((good) => {
      let refused = 0
      return {
        async append(entries, state) {
          try {
            const made = await good.append(entries, state)
            return made.map((entry) => ({ ...entry, sequence: entry.sequence + refused }))
          } catch (error) {
            refused += entries.length
            throw error
          }
        },
      }
    }),
  },
  {
    flaw: "gives the first page for every page",
    caughtBy: ["order.pages", "order.many"],
    breakStore: reading((good) => ({
      entries: ({ after: _, ...query } = {}) => good.entries(query),
    })),
  },
  {
    flaw: "forgets where an entry branches off",
    caughtBy: ["branches.parents", "branches.roots", "branches.later", "appends.answers"],
    breakStore: (good) =>
      alter(good, {
        session: (one) => ({
          append: async (entries, state) => {
            const made = await one.append(
              entries.map(({ parent: _, ...entry }) => entry),
              state,
            )
            return made.map((entry, index) => ({
              ...entry,
              parent: entries[index]?.parent ?? entry.parent,
            }))
          },
        }),
      }),
  },
  {
    flaw: "forgets states",
    caughtBy: ["appends.state"],
    breakStore: writing((good) => ({ append: (entries) => good.append(entries) })),
  },
  {
    flaw: "never closes what was begun",
    caughtBy: ["appends.unclosed"],
    breakStore: appending(({ closes: _, ...entry }) => entry),
  },
  {
    flaw: "stores a text again under another hash",
    caughtBy: ["outputs.texts"],
    breakStore: writing((good) => ({
      putTexts: (texts) => good.putTexts(texts.map((text, index) => `${text}${index}`)),
    })),
  },
  {
    flaw: "cuts texts at a zero byte",
    caughtBy: ["bodies.unchanged", "outputs.apart"],
    breakStore: (good) =>
      alter(good, {
        session: (one) => ({
          append: (entries, state) =>
            one.append(
              entries.map((entry) => ({ ...entry, kind: entry.kind.split("\0")[0] ?? "" })),
              state,
            ),
          putOutput: (call, output) =>
            one.putOutput(call, { ...output, head: output.head.split("\0")[0] ?? "" }),
        }),
      }),
  },
  {
    flaw: "cuts large bodies",
    caughtBy: ["bodies.large"],
    breakStore: appending((entry) => {
      const { text } = entry.body as { text?: string }
      return text === undefined || text.length < 10_000
        ? entry
        : { ...entry, body: { text: text.slice(0, 9_000) } }
    }),
  },
  {
    flaw: "stores a large body each time",
    caughtBy: ["bodies.once"],
    breakStore: appending((entry) => ({
      ...entry,
      body: { ...Object(entry.body), at: Math.random() },
    })),
  },
  {
    flaw: "forgets milestones",
    caughtBy: ["bodies.milestones"],
    breakStore: appending(({ isMilestone: _, ...entry }) => entry),
  },
  {
    flaw: "tells an older writer that it has written",
    caughtBy: ["fencing.reopened", "fencing.killed", "fencing.released", "fencing.deleted"],
    breakStore: unfenced,
  },
  {
    flaw: "takes every process for dead",
    caughtBy: ["owners.living", "sessions.children-open", "owners.own"],
    breakStore: storing((good) => ({
      async open(name, options) {
        await good.release(name)
        return good.open(name, options)
      },
      async remove(name) {
        for (const session of await good.sessions({ limit: 1_000 }))
          await good.release(session.name)
        return good.remove(name)
      },
    })),
  },
  {
    flaw: "takes every process for living",
    caughtBy: ["owners.killed", "fencing.killed", "appends.unclosed", "questions.open"],
    breakStore: storing((good) => ({
      async open(name, options) {
        const { owner } = (await (await good.read(name))?.session()) ?? {}
        if (owner) throw Object.assign(new Error("in use"), { kind: "unavailable" })
        return good.open(name, options)
      },
    })),
  },
  {
    flaw: "does not let go of a session that is closed",
    caughtBy: ["owners.closed", "owners.own", "sessions.removed"],
    breakStore: writing(() => ({ close: async () => {} })),
  },
  {
    flaw: "shows a session to nobody but its owner",
    caughtBy: ["owners.reading", "following.across", "following.deleted", "outputs.newest"],
    breakStore: storing(() => ({ read: async () => null })),
  },
  {
    flaw: "repeats an entry to those who follow",
    caughtBy: ["following.own", "following.across", "following.aborted"],
    breakStore: reading((good) => ({
      async *follow(query) {
        for await (const entry of good.follow(query)) {
          yield entry
          if (entry.sequence === 2) yield entry
        }
      },
    })),
  },
  {
    flaw: "goes on with what it has found after it was told to stop",
    caughtBy: ["following.aborted"],
    breakStore: reading((good) => ({
      async *follow({ after, signal }) {
        const found = await good.entries({ after })
        yield* found
        yield* good.follow({ after: found.at(-1)?.sequence ?? after, ...(signal && { signal }) })
      },
    })),
  },
  {
    flaw: "goes on following what is deleted, with an error",
    caughtBy: ["following.deleted"],
    breakStore: reading((good) => ({
      async *follow(query) {
        yield* good.follow(query)
        if ((await good.session()) === null) throw new Error("no such session")
      },
    })),
  },
  {
    flaw: "keeps the first output of a call",
    caughtBy: ["outputs.newest"],
    breakStore: writing((good) => ({
      async putOutput(call, output) {
        if ((await good.output(call)) === null) await good.putOutput(call, output)
      },
    })),
  },
  {
    flaw: "takes every answer",
    caughtBy: ["questions.once"],
    breakStore: storing((good) => ({
      answer: async (question, answer) => {
        await good.answer(question, answer)
        return true
      },
    })),
  },
  {
    flaw: "gives answers as text",
    caughtBy: ["questions.waiting", "questions.once"],
    breakStore: writing((good) => ({
      answerTo: async (question, signal) => JSON.stringify(await good.answerTo(question, signal)),
    })),
  },
  {
    flaw: "fails when nobody waits for an answer any more",
    caughtBy: ["questions.aborted"],
    breakStore: writing((good) => ({
      async answerTo(question, signal) {
        const answer = await good.answerTo(question, signal)
        signal.throwIfAborted()
        return answer
      },
    })),
  },
  {
    flaw: "lists answered questions as open ones",
    caughtBy: ["questions.open"],
    breakStore: reading((good) => ({ openQuestions: () => good.questions() })),
  },
  {
    flaw: "lists the oldest sessions first",
    caughtBy: ["sessions.listed"],
    breakStore: storing((good) => ({
      sessions: async (query) => (await good.sessions(query)).toReversed(),
    })),
  },
  {
    flaw: "takes names for the same in any case",
    caughtBy: ["sessions.named"],
    breakStore: storing((good) => ({
      open: (name, options) => good.open(name.toLowerCase(), options),
      read: (name) => good.read(name.toLowerCase()),
    })),
  },
  {
    flaw: "replaces the session whose name another takes",
    caughtBy: ["sessions.renamed"],
    breakStore: (good) =>
      alter(good, {
        session: (one) => ({
          async rename(name) {
            await good.open(name).then((other) => other.remove())
            await one.rename(name)
          },
        }),
      }),
  },
  {
    flaw: "leaves the children of what it deletes",
    caughtBy: ["sessions.removed"],
    breakStore: storing((good) => ({
      async remove(name) {
        const session = await good.open(name).catch(() => null)
        await session?.rename(`deleted ${session.id}`)
        return session !== null
      },
    })),
  },
  {
    flaw: "opens what was deleted again with what it had",
    caughtBy: ["sessions.again", "fencing.deleted"],
    breakStore: writing((good) => ({ remove: () => good.close() })),
  },
]
