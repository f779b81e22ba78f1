import { DatabaseSync } from "node:sqlite"
import { openRecord } from "../../src/store/index.ts"

/** The reference: what a program would write by hand into the same tables, in the same transactions. */
export interface BareInserts extends Disposable {
  /** A call has begun. */
  started(call: string, body: unknown): void
  /** It has ended. */
  ended(call: string, body: unknown): void
}

export async function openBareInserts(file: string): Promise<BareInserts> {
  // The record itself makes the tables.
  const record = await openRecord({ file })
  await record.open("bare")
  await record.close()
  const database = new DatabaseSync(file)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
  database.exec("PRAGMA cache_size = -32768; PRAGMA mmap_size = 268435456")
  database.exec("PRAGMA wal_autocheckpoint = 4000")
  const [begin, commit] = [database.prepare("BEGIN IMMEDIATE"), database.prepare("COMMIT")]
  const insert = database.prepare(
    "INSERT INTO entries (place, parent, kind, at_ms, body) VALUES (?, ?, ?, ?, ?)",
  )
  const open = database.prepare("INSERT INTO unclosed (session, key, sequence) VALUES (1, ?, ?)")
  const close = database.prepare("DELETE FROM unclosed WHERE session = 1 AND key = ?")
  let last = 0
  const add = (kind: string, body: unknown) => {
    last += 1
    insert.run(last, last - 1 || null, kind, Date.now(), JSON.stringify(body))
  }
  return {
    started(call, body) {
      begin.run()
      add("call", body)
      open.run(`call:${call}`, last)
      commit.run()
    },
    ended(call, body) {
      begin.run()
      add("envelope", body)
      close.run(`call:${call}`)
      commit.run()
    },
    [Symbol.dispose]: () => database.close(),
  }
}
