import type { SessionRecord } from "../../store/index.ts"
import { requireEqual, requireFailure, requireThat } from "../measure/require.ts"
import { defineRecordChecks, note } from "./record-check.ts"

const output = { head: "a", tail: "", bytes: 1 }

/** Everything by which a session is changed. */
const writes: Readonly<Record<string, (session: SessionRecord) => Promise<unknown>>> = {
  append: (session) => session.append([note("late")]),
  "append of nothing": (session) => session.append([], "running"),
  putOutput: (session) => session.putOutput("late", output),
  putTexts: (session) => session.putTexts(["late"]),
  ask: (session) => session.ask({ id: `${session.id} late`, call: "late", askedAt: 1, body: null }),
  takeAnswer: (session) => session.takeAnswer("late"),
  rename: (session) => session.rename(`${session.name} late`),
  remove: (session) => session.remove(),
}

/** The SHA-256 of "late". */
const hashOfLate = "089001a35679a33ef3db0ca350db9b9a2f0136e0e327577b04b3b98127470961"

/** Requires that nothing which an older writer does has any effect. */
async function requireFenced(older: SessionRecord, newer: SessionRecord): Promise<void> {
  const seen = async () => ({
    session: await newer.session(),
    entries: await newer.entries(),
    output: await newer.output("late"),
    text: await newer.text(hashOfLate),
    questions: await newer.questions(),
  })
  const before = await seen()
  for (const [what, write] of Object.entries(writes)) {
    await requireFailure(`${what} by the older writer`, write(older), "unavailable")
  }
  // Closing is what a process does in the end, whatever has happened; it must not let go of what another has.
  await older.close()
  requireEqual("the session after the older writer's attempts", await seen(), before)
  await newer.append([note("newer")])
}

const fencingPromises = {
  reopened: "once a session is opened again, its older writer is refused, whatever it writes",
  killed: "a process that was taken for dead can't write once another has opened the session",
  released: "after a release the session can be opened, and its older writer is refused",
  deleted:
    "once a session is deleted its writer is refused, also when there is a new one of its name",
}

export const fencing = defineRecordChecks("fencing", fencingPromises, {
  async reopened({ store, name }) {
    const one = await store()
    const older = await one.open(name())
    await older.append([note("a")])
    await requireFenced(older, await one.open(older.name))
    return "opened it twice in one process"
  },
  async killed({ open, store, name }) {
    const first = await open()
    const older = await first.store.open(name())
    await older.append([note("a")])
    await first.kill()
    await requireFenced(older, await (await store()).open(older.name))
    return "went on with the handle of a process that was killed"
  },
  async released({ store, name }) {
    const older = await (await store()).open(name())
    await older.append([note("a")])
    const other = await store()
    requireEqual("the answer of release", await other.release(older.name), true)
    requireEqual("release without a session", await other.release(name()), false)
    await requireFenced(older, await other.open(older.name))
    return "released it while its process lived"
  },
  async deleted({ store, name }) {
    const one = await store()
    const older = await one.open(name())
    await older.append([note("a")])
    await (await one.open(older.name)).remove()
    for (const [what, write] of Object.entries(writes)) {
      await requireFailure(`${what} after the removal`, write(older), "unavailable")
    }
    await requireFenced(older, await one.open(older.name))
    return "deleted it and made a new one of the same name"
  },
})

const ownerPromises = {
  living: "a session that a living process has open can be neither opened nor deleted by another",
  reading: "a session that a living process has open can be read and listed by others",
  closed: "a closed session can be opened by another process, also when its store was closed",
  killed: "after a kill another process opens the session and finds every entry that was answered",
  own: "a session that is open can't be deleted by its name, not even in the same process",
}

export const owners = defineRecordChecks("owners", ownerPromises, {
  async living({ store, name }) {
    const [one, other] = [await store(), await store()]
    const session = await one.open(name())
    await session.append([note("a")])
    const told = await requireFailure("opening it", other.open(session.name), "unavailable")
    requireThat(
      told.message.includes(session.name),
      `the refusal does not name the session: ${told.message}`,
    )
    await requireFailure("deleting it", other.remove(session.name), "unavailable")
    await session.append([note("b")])
    requireEqual("how many entries there are", (await session.entries()).length, 2)
    return "tried both from a second process"
  },
  async reading({ store, name }) {
    const [one, other] = [await store(), await store()]
    const session = await one.open(name())
    await session.append([note("a")])
    const reader = await other.read(session.name)
    requireEqual("its entries", await reader?.entries(), await session.entries())
    const listed = (await other.sessions()).find(({ id }) => id === session.id)
    requireEqual("how it is listed", listed, await session.session())
    requireThat(listed?.owner != null, "it is listed as if nobody had it open")
    requireEqual("reading what is not there", await other.read(name()), null)
    return "read and listed it from a second process"
  },
  async closed({ store, name }) {
    const [one, other] = [await store(), await store()]
    const session = await one.open(name())
    await session.append([note("a")])
    await session.close()
    requireEqual("the owner of a closed one", (await session.session())?.owner, null)
    const again = await other.open(session.name)
    requireEqual("its id", again.id, session.id)
    await again.append([note("b")])
    await other.close()
    const third = await (await store()).open(session.name)
    requireEqual("how many entries there are", (await third.entries()).length, 2)
    return "opened it in three processes, one after the other"
  },
  async killed({ open, store, name }) {
    const first = await open()
    const session = await first.store.open(name())
    await session.append([note("a"), note("b")])
    const before = await session.entries()
    await first.kill()
    const again = await (await store()).open(session.name)
    requireEqual("its entries", await again.entries(), before)
    const [next] = await again.append([note("c")])
    requireEqual("the next number", next?.sequence, 3)
    return "killed its process"
  },
  async own({ store, name }) {
    const one = await store()
    const session = await one.open(name())
    await requireFailure("deleting it", one.remove(session.name), "unavailable")
    await session.append([note("a")])
    await session.close()
    requireEqual("deleting it once it is closed", await one.remove(session.name), true)
    return "tried it in the process that has it open"
  },
})
