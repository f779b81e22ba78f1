import type { SQLInputValue } from "node:sqlite"
import { isDead, sha256 } from "../../node/index.ts"
import { recordLimits } from "../limits.ts"
import type { Transaction } from "../sqlite/sqlite-database.ts"
import { syncFile } from "../sqlite/sync-file.ts"
import { appendedEntries, headAfter, parentOf } from "./appended-entries.ts"
import { createReader, type RecordDeps, sessionRows } from "./read-session.ts"
import { writtenRows } from "./recent-entries.ts"
import { inUse, isFull, nameTaken, takenOver } from "./record-failures.ts"
import { jsonOf, type PackedEntry, pack, type Row, sessionFrom } from "./record-rows.ts"
import { placeOf } from "./record-schema.ts"
import type { RecordedSession, RecordHead, SessionRecord, SessionState } from "./record-store.ts"

interface Appended {
  readonly rows: readonly PackedEntry[]
  readonly state: SessionState | undefined
  readonly now: number
}

export function createSessionRecord(parts: RecordDeps, row: Row): SessionRecord {
  const { database, clock, watch, recent, opened } = parts
  const { id } = sessionFrom(row)
  const number = Number(row.number)
  const epoch = Number(row.epoch)
  let name = String(row.name)
  let last: RecordHead = { entry: Number(row.head), milestone: Number(row.head) }

  /** All of `work` or nothing, and nothing where the session was opened again since. */
  const write = async <Result>(work: (one: Transaction) => Result): Promise<Result> => {
    const result = await database.write((one) => {
      if (one.number(isCurrent, number, epoch) === null) throw takenOver(name)
      return work(one)
    })
    watch.changed(number)
    return result
  }

  /**
   * What the session's row and its last entry say. Nobody else changes them in this epoch, so they are read again only
   * where a transaction of this process was taken back (bench: session-append).
   */
  const knownFrom = (found: Row) => {
    const { head, state, updatedAt } = sessionFrom(found)
    return { head, state, updatedAt, rollbacks: database.rollbacks }
  }
  let known = knownFrom(row)

  const insert = (one: Transaction, { rows, state, now }: Appended): number => {
    if (known.rollbacks !== database.rollbacks) {
      const found = one.get(`${sessionRows} WHERE number = ?`, number)
      if (!found) throw takenOver(name)
      known = knownFrom(found)
    }
    const { head } = known
    if (head + rows.length > recordLimits.entries) throw isFull(name)
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      const part = rows.length > rowsAtOnce ? rows.slice(from, from + rowsAtOnce) : rows
      const values: SQLInputValue[] = []
      let sequence = head + from
      for (const { entry, text, hash } of part) {
        sequence += 1
        const { kind, at, parent, isMilestone } = entry
        values.push(placeOf(number, sequence), parentOf(parent, sequence), kind, at)
        values.push(isMilestone ? 1 : null, hash ? null : text, hash)
      }
      values.push(number, epoch)
      requireChange(one.run(insertRows[part.length - 1] ?? "", ...values))
    }
    for (const { entry, text, hash } of rows) {
      known.head += 1
      const { opens, closes } = entry
      if (hash) one.run("INSERT OR IGNORE INTO blobs (hash, body) VALUES (?, ?)", hash, text)
      if (opens !== undefined) one.run(openKey, number, opens, known.head)
      if (closes !== undefined) one.run(closeKey, number, closes)
    }
    if (touches({ rows, state, now })) {
      known.updatedAt = now
      known.state = state ?? known.state
      requireChange(one.run(touchSession, now, known.state, number, epoch))
    }
    return head
  }
  /** Whether the session's row says something else afterwards. */
  const touches = ({ rows, state, now }: Appended) =>
    rows.length === 0 ||
    (state !== undefined && state !== known.state) ||
    now - known.updatedAt >= recordLimits.updatedMs
  const requireChange = ({ changes }: { readonly changes: number }) => {
    if (changes === 0) throw takenOver(name)
  }
  const isOneStatement = (appended: Appended) =>
    appended.rows.length <= rowsAtOnce &&
    appended.rows.every(({ hash, entry: { opens, closes } }) => !hash && !opens && !closes) &&
    known.rollbacks === database.rollbacks &&
    !touches(appended)

  const append: SessionRecord["append"] = async (entries, state) => {
    const rows = entries.map((entry) => pack(entry))
    const appended: Appended = { rows, state, now: clock.now() }
    const before = await database.write((one) => insert(one, appended), {
      isOneStatement: () => isOneStatement(appended),
    })
    last = headAfter(last, before, entries)
    recent.add(number, () => writtenRows(rows, before))
    watch.changed(number)
    return appendedEntries(id, before, entries)
  }

  const session: SessionRecord = {
    id,
    get name() {
      return name
    },
    ...createReader(parts, row),
    head: () => last,
    append,
    putOutput: (call, { head: start, tail, bytes }) =>
      write((one) => {
        one.run(
          `INSERT INTO outputs (session, call, head, tail, bytes) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (session, call) DO UPDATE SET head = excluded.head, tail = excluded.tail, bytes = excluded.bytes`,
          ...[number, call, start, tail, bytes],
        )
      }),
    putTexts: (texts) => {
      const hashed = texts.map((text) => ({ text, hash: sha256(text) }))
      return write((one) => hashed.map(({ text, hash }) => putText(one, number, { text, hash })))
    },
    async ask({ id: question, call, askedAt, body }) {
      const text = jsonOf(body)
      await write((one) => {
        one.run(
          "INSERT OR IGNORE INTO questions (id, session, call, asked_ms, body) VALUES (?, ?, ?, ?, ?)",
          ...[question, number, call, askedAt, text],
        )
      })
    },
    takeAnswer: (question) =>
      write((one) => {
        one.run("UPDATE questions SET taken = 1 WHERE id = ? AND session = ?", question, number)
      }),
    async answerTo(question, signal) {
      for await (const _ of watch.changes(number, signal)) {
        const answer = await database.query((one) => one.get(answerOf, question, number)?.answer)
        if (typeof answer === "string") return JSON.parse(answer)
      }
      return null
    },
    async rename(wanted) {
      await write((one) => {
        if (one.get(`${sessionRows} WHERE name = ?`, wanted)) throw nameTaken(wanted)
        one.run("UPDATE sessions SET name = ? WHERE number = ?", wanted, number)
      })
      name = wanted
    },
    async remove() {
      await write((one) => removeFamily(one, name, (each) => refuseOthers(parts, each)))
      // Its children too.
      watch.changed()
      opened.delete(session)
    },
    sync: () => syncFile(`${database.file}-wal`),
    async close() {
      await database.write((one) =>
        one.run("UPDATE sessions SET owner = NULL WHERE number = ? AND epoch = ?", number, epoch),
      )
      opened.delete(session)
    },
  }
  opened.add(session)
  return session
}

const isCurrent = "SELECT 1 FROM sessions WHERE number = ? AND epoch = ?"

const answerOf = "SELECT answer FROM questions WHERE id = ? AND session = ?"

const touchSession = "UPDATE sessions SET updated_ms = ?, state = ? WHERE number = ? AND epoch = ?"

const openKey = "INSERT OR IGNORE INTO unclosed (session, key, sequence) VALUES (?, ?, ?)"

const closeKey = "DELETE FROM unclosed WHERE session = ? AND key = ?"

const rowsAtOnce = 8

/**
 * For one row, for two and so on. Nothing where the session was opened again: a statement of its own for that costs a
 * fifth (bench: session-append).
 */
const insertRows = Array.from({ length: rowsAtOnce }, (_, more) => {
  const rows = Array(more + 1).fill("(?, ?, ?, ?, ?, ?, ?)")
  return `INSERT INTO entries (place, parent, kind, at_ms, milestone, body, blob)
    SELECT new.* FROM (VALUES ${rows.join(", ")}) AS new CROSS JOIN sessions WHERE number = ? AND epoch = ?`
})

const hasText = "SELECT 1 FROM texts WHERE session = ? AND hash = ?"

const textCharacters = "SELECT coalesce(sum(characters), 0) FROM texts WHERE session = ?"

function putText(
  one: Transaction,
  session: number,
  { text, hash }: { readonly text: string; readonly hash: string },
): string | null {
  if (one.number(hasText, session, hash) !== null) return hash
  const taken = one.number(textCharacters, session) ?? 0
  if (taken + text.length > recordLimits.textCharacters) return null
  one.run(
    "INSERT INTO texts (session, hash, characters, body) VALUES (?, ?, ?, ?)",
    ...[session, hash, text.length, text],
  )
  return hash
}

/** Of two processes that may both live, the first keeps the session. */
export function refuseOthers({ owner }: RecordDeps, session: RecordedSession): void {
  const { name, owner: other } = session
  if (other !== null && other !== owner && !isDead(other)) throw inUse(name, other)
}

/** With its child sessions, which could not be found without it. False when there is none of this name. */
export function removeFamily(
  one: Transaction,
  name: string,
  check: (session: RecordedSession) => void,
): boolean {
  const rows = one.all(
    `WITH RECURSIVE family (id) AS (
       SELECT id FROM sessions WHERE name = ?
       UNION SELECT sessions.id FROM sessions JOIN family ON sessions.parent_session = family.id
     ) ${sessionRows} JOIN family USING (id)`,
    name,
  )
  for (const row of rows) check(sessionFrom(row))
  for (const { number } of rows) one.run("DELETE FROM sessions WHERE number = ?", Number(number))
  return rows.length > 0
}
