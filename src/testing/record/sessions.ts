import type { RecordStore, SessionRecord } from "../../store/index.ts"
import { conformanceLimits } from "../limits.ts"
import { requireEqual, requireFailure, requireThat } from "../measure/require.ts"
import { defineRecordChecks, note, type RecordSubject } from "./record-check.ts"

const outputPromises = {
  newest: "the output of a call is what was recorded of it last, and other processes read it",
  apart: "each call of each session has its own output, whatever it holds",
  texts: "a text is found by its hash in the session that stored it, and in no other",
}

export const outputs = defineRecordChecks("outputs", outputPromises, {
  async newest({ open, store, name }) {
    const first = await open()
    const session = await first.store.open(name())
    requireEqual("the output of a call without one", await session.output("call"), null)
    await session.putOutput("call", { head: "one", tail: "", bytes: 3 })
    await session.putOutput("call", { head: "one", tail: "two", bytes: 900 })
    await first.kill()
    const reader = await (await store()).read(session.name)
    const expected = { head: "one", tail: "two", bytes: 900 }
    requireEqual("the output", await reader?.output("call"), expected)
    return "recorded it twice and killed the process"
  },
  async apart({ store, name }) {
    const one = await store()
    const [session, other] = [await one.open(name()), await one.open(name())]
    const odd = { head: "a\0b 🚗\n", tail: "\u001b[31m", bytes: 2 ** 40 }
    await session.putOutput("1", odd)
    await session.putOutput("2", { head: "2", tail: "", bytes: 1 })
    await other.putOutput("1", { head: "other", tail: "", bytes: 5 })
    requireEqual("the first output", await session.output("1"), odd)
    requireEqual("the second output", (await session.output("2"))?.head, "2")
    requireEqual("the other session's output", (await other.output("1"))?.head, "other")
    return "recorded three"
  },
  async texts({ store, name }) {
    const one = await store()
    const [session, other] = [await one.open(name()), await one.open(name())]
    const odd = "a\0b 🚗\r\n"
    const [hash, again, empty] = await session.putTexts([odd, odd, ""])
    requireEqual("the hash of the same text", again, hash)
    requireEqual("the hashes of the same text later", await session.putTexts([odd]), [hash])
    const reader = await (await store()).read(session.name)
    requireEqual("the text", await reader?.text(hash ?? ""), odd)
    requireEqual("the empty text", await reader?.text(empty ?? ""), "")
    requireEqual("the text in another session", await other.text(hash ?? ""), null)
    await session.remove()
    requireEqual("the text of a deleted session", await reader?.text(hash ?? ""), null)
    return "stored two texts, one of them twice"
  },
})

const questionPromises = {
  once: "a question is answered once, however many processes answer it at the same time",
  waiting: "a process that waits for an answer gets the one that another process gives",
  aborted: "waiting for an answer ends with null when its signal aborts",
  open: "a question is open until its answer has taken effect, also when the process that asked is killed",
}

const question = (id: string) => ({ id, call: "call", askedAt: 1_000, body: { prompt: "May I?" } })

export const questions = defineRecordChecks("questions", questionPromises, {
  async once({ store, name, signal }) {
    const session = await (await store()).open(name())
    const id = name()
    await session.ask(question(id))
    // The same question again changes nothing.
    await session.ask({ ...question(id), body: { prompt: "Another?" } })
    const others = await Promise.all([1, 2, 3].map(() => store()))
    const given = await Promise.all(others.map((one, by) => one.answer(id, { by })))
    requireEqual("how many answers counted", given.filter(Boolean).length, 1)
    const answer = { by: given.indexOf(true) }
    requireEqual("an answer afterwards", await others[0]?.answer(id, { by: 9 }), false)
    requireEqual("the answer", await session.answerTo(id, signal), answer)
    const { body, answer: read } = (await others[0]?.question(id)) ?? {}
    requireEqual("the question", { body, read }, { body: { prompt: "May I?" }, read: answer })
    requireEqual("an answer to nothing", await others[0]?.answer(name(), null), false)
    requireEqual("a question that there is not", await others[0]?.question(name()), null)
    return "answered it from three processes at once"
  },
  async waiting({ store, name, signal }) {
    const session = await (await store()).open(name())
    const id = name()
    await session.ask(question(id))
    const answer = session.answerTo(id, signal)
    const other = await store()
    await other.answer(id, { kind: "approved" })
    requireEqual("the answer", await answer, { kind: "approved" })
    return "answered it from another process"
  },
  async aborted({ store, name }) {
    const session = await (await store()).open(name())
    const id = name()
    await session.ask(question(id))
    const stop = new AbortController()
    const answer = session.answerTo(id, stop.signal)
    stop.abort()
    requireEqual("the answer", await answer, null)
    return "aborted it"
  },
  async open({ open, store, name }) {
    const first = await open()
    const session = await first.store.open(name())
    const ids = [name(), name(), name()]
    for (const id of ids) await session.ask(question(id))
    await first.kill()
    const other = await store()
    await other.answer(ids[1] ?? "", true)
    const again = await other.open(session.name)
    const openIds = async () => (await again.openQuestions()).map(({ id }) => id)
    requireEqual("those whose answer nobody has taken", await openIds(), ids)
    await again.takeAnswer(ids[1] ?? "")
    const left = await again.openQuestions()
    requireEqual("the open ones", await openIds(), [ids[0], ids[2]])
    requireEqual("one of them", left[0], {
      ...question(ids[0] ?? ""),
      session: session.id,
      answer: null,
    })
    const all = (await again.questions()).map(({ answer }) => answer)
    requireEqual("all answers", all, [null, true, null])
    return "asked three, killed the process, answered one and took the answer"
  },
})

const sessionPromises = {
  listed:
    "sessions are listed the latest first, by parent, age and state, as many as are asked for",
  named: "any text is a name, and no two sessions have the same",
  renamed: "a session gets another name, but not one that is taken",
  removed: "a deleted session is gone with its children, and all that was recorded of them",
  "children-open": "a session is not deleted while a living process has a child of it open",
  again: "a session of the same name as a deleted one starts empty, with another id",
}

/** A session with a child and a grandchild, each with one entry. */
async function makeFamily(one: RecordStore, name: RecordSubject["name"]) {
  const parent = await one.open(name())
  const child = await one.open(name(), { parent: { session: parent.id, call: "1" } })
  const grandchild = await one.open(name(), { parent: { session: child.id, call: "2" } })
  const family = [parent, child, grandchild]
  for (const session of family) await session.append([note(session.name)])
  return { family, parent, child, grandchild }
}

/** Clocks count in milliseconds, in which much can happen. */
async function writeLater(session: SessionRecord, than: SessionRecord): Promise<void> {
  const updated = async (one: SessionRecord) => (await one.session())?.updatedAt ?? 0
  const before = await updated(than)
  const giveUpAt = performance.now() + conformanceLimits.lateMs
  do await session.append([note("later")])
  while ((await updated(session)) <= before && performance.now() < giveUpAt)
}

export const sessions = defineRecordChecks("sessions", sessionPromises, {
  async listed({ store, name }) {
    const one = await store()
    const { parent, child, grandchild } = await makeFamily(one, name)
    await writeLater(parent, grandchild)
    const all = await one.sessions({ limit: 3 })
    requireEqual("the latest", all[0]?.id, parent.id)
    requireEqual("how many there are", all.length, 3)
    const { head, parent: of } = (await child.session()) ?? {}
    requireEqual("the child", { head, of }, { head: 1, of: { session: parent.id, call: "1" } })
    const ofChild = (await one.sessions({ parent: child.id })).map(({ id }) => id)
    requireEqual("the child's children", ofChild, [grandchild.id])
    const roots = (await one.sessions({ parent: null })).map(({ id }) => id)
    requireThat(
      roots.includes(parent.id) && !roots.includes(child.id),
      "those without a parent are not told from those with one",
    )
    const { updatedAt = 0 } = (await parent.session()) ?? {}
    const older = await one.sessions({ updatedBefore: updatedAt, limit: 1_000 })
    requireThat(
      older.every((session) => session.updatedAt < updatedAt && session.id !== parent.id),
      "sessions that were written to later are among the older ones",
    )
    await child.append([], "waiting")
    const waiting = await one.sessions({ parent: parent.id, state: "waiting" })
    requireEqual(
      "those that wait",
      waiting.map(({ id }) => id),
      [child.id],
    )
    requireEqual("those that run", await one.sessions({ parent: parent.id, state: "running" }), [])
    return "listed a family"
  },
  async named({ store, name }) {
    const one = await store()
    const odd = ["../..", "a/b c", "ß🚗", "' OR 1=1 --", "%", "-"].map((text) => name() + text)
    for (const text of odd) await (await one.open(text)).append([note(text)])
    for (const text of odd) {
      const entries = await (await one.read(text))?.entries()
      requireEqual(
        `the entries of ${text}`,
        entries?.map(({ body }) => body),
        [{ text }],
      )
    }
    const upper = name().toUpperCase()
    await one.open(upper)
    requireEqual("another case", await one.read(upper.toLowerCase()), null)
    return `opened ${odd.length} names`
  },
  async renamed({ store, name }) {
    const one = await store()
    const [session, other] = [await one.open(name()), await one.open(name())]
    await session.append([note("a")])
    const [before, after] = [session.name, name()]
    await session.rename(after)
    requireEqual("its name", session.name, after)
    requireEqual("the old name", await one.read(before), null)
    requireEqual("its entries", (await (await one.read(after))?.entries())?.length, 1)
    await requireFailure("a name that is taken", session.rename(other.name), "invalid_args")
    await session.append([note("b")])
    return "renamed one of two sessions"
  },
  async removed({ store, name, signal }) {
    const one = await store()
    const { family, parent, child } = await makeFamily(one, name)
    const other = await one.open(name())
    await other.append([note("stays")])
    const id = name()
    await child.ask(question(id))
    await child.putOutput("1", { head: "a", tail: "", bytes: 1 })
    for (const session of family) await session.close()
    const elsewhere = await store()
    requireEqual("deleting it", await elsewhere.remove(parent.name), true)
    requireEqual("deleting it again", await elsewhere.remove(parent.name), false)
    for (const { name: gone } of family) requireEqual(gone, await one.read(gone), null)
    requireEqual("the question", await one.question(id), null)
    requireEqual("answering it", await one.answer(id, true), false)
    requireEqual("the other session", (await other.entries()).length, 1)
    signal.throwIfAborted()
    return "deleted a family of three from another process"
  },
  async "children-open"({ store, name }) {
    const one = await store()
    const { parent, child, grandchild } = await makeFamily(one, name)
    await parent.close()
    await child.close()
    const elsewhere = await store()
    await requireFailure("deleting it", elsewhere.remove(parent.name), "unavailable")
    await grandchild.append([note("still there")])
    requireEqual("the parent", (await (await one.read(parent.name))?.entries())?.length, 1)
    await (await one.open(parent.name)).remove()
    requireEqual("the grandchild", await one.read(grandchild.name), null)
    return "tried it while a grandchild was open, then in the process that has it"
  },
  async again({ store, name }) {
    const one = await store()
    const session = await one.open(name())
    await session.append([note("a", { opens: "key" })])
    await session.putOutput("1", { head: "a", tail: "", bytes: 1 })
    await session.remove()
    const next = await one.open(session.name)
    requireThat(next.id !== session.id, "it has the id of the deleted one")
    requireEqual("its entries", await next.entries(), [])
    requireEqual("what is unclosed", await next.unclosed(), [])
    requireEqual("an output", await next.output("1"), null)
    const [first] = await next.append([note("b")])
    requireEqual("the first number", first?.sequence, 1)
    return "opened the name again"
  },
})
