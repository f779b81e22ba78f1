import type { RecordEntry, RecordReader } from "../../store/index.ts"
import { requireEqual } from "../measure/require.ts"
import { defineRecordChecks, note, take } from "./record-check.ts"

const numbersOf = (entries: readonly RecordEntry[]) => entries.map(({ sequence }) => sequence)

/** How many entries it gives before it ends by itself. */
async function countUntilEnd(follow: ReturnType<RecordReader["follow"]>): Promise<number> {
  let count = 0
  for await (const _ of follow) count += 1
  return count
}

const followPromises = {
  own: "following gives every entry after a number, then each new one, once and in order",
  across: "entries that another process appends are followed as they come",
  aborted: "following ends when its signal aborts",
  deleted: "following ends when the session is deleted",
}

export const following = defineRecordChecks("following", followPromises, {
  async own({ store, name, signal }) {
    const session = await (await store()).open(name())
    await session.append([note("a"), note("b"), note("c")])
    const entries = await take(session.follow({ after: 1, signal }), 5, ({ sequence }) => {
      if (sequence === 3) void session.append([note("d"), note("e")])
      if (sequence === 5) void session.append([note("f")])
    })
    requireEqual("the numbers", numbersOf(entries), [2, 3, 4, 5, 6])
    requireEqual("the entries", entries, await session.entries({ after: 1 }))
    return "followed it while it went on"
  },
  async across({ store, name, signal }) {
    const session = await (await store()).open(name())
    await session.append([note("a")])
    const reader = await (await store()).read(session.name)
    const follow = reader?.follow({ after: 0, signal }) ?? []
    const entries = await take(follow as AsyncIterable<RecordEntry>, 4, ({ sequence }) => {
      if (sequence < 4) void session.append([note("next")])
    })
    requireEqual("the numbers", numbersOf(entries), [1, 2, 3, 4])
    return "appended each entry when the other process had the one before"
  },
  async aborted({ store, name }) {
    const session = await (await store()).open(name())
    await session.append([note("a"), note("b"), note("c")])
    const stop = new AbortController()
    const seen: number[] = []
    for await (const { sequence } of session.follow({ after: 0, signal: stop.signal })) {
      seen.push(sequence)
      if (sequence === 2) stop.abort()
    }
    requireEqual("the numbers", seen, [1, 2])
    requireEqual(
      "what it gives when it was aborted before",
      await countUntilEnd(session.follow({ after: 0, signal: stop.signal })),
      0,
    )
    return "aborted it at the second of three entries"
  },
  async deleted({ store, name, signal }) {
    const session = await (await store()).open(name())
    await session.append([note("a")])
    const reader = await (await store()).read(session.name)
    const seen: number[] = []
    const follow = (reader?.follow({ after: 0, signal }) ?? []) as AsyncIterable<RecordEntry>
    for await (const { sequence } of follow) {
      seen.push(sequence)
      await session.remove()
    }
    requireEqual("the numbers", seen, [1])
    requireEqual("the session", await reader?.session(), null)
    return "deleted it while another process followed it"
  },
})
