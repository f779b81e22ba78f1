import pg from "pg"
import { postgresRecord } from "../../src/store/index.ts"

/** The reference: what a program would write by hand into the same tables, in the same transactions. */
export interface BareInserts extends AsyncDisposable {
  /** A call has begun. */
  started(call: string, body: unknown): Promise<void>
  /** It has ended. */
  ended(call: string, body: unknown): Promise<void>
}

const insert = {
  name: "insert",
  text: `INSERT INTO toolkeep.entries (session, sequence, parent, kind, at_ms, characters, body)
    VALUES (1, $1, $2, $3, $4, $5, $6)`,
}
const open = {
  name: "open",
  text: "INSERT INTO toolkeep.unclosed (session, key, sequence) VALUES (1, $1, $2)",
}
const close = {
  name: "close",
  text: "DELETE FROM toolkeep.unclosed WHERE session = 1 AND key = $1",
}

export async function openBareInserts(url: string): Promise<BareInserts> {
  // The record itself makes the tables.
  await (await postgresRecord({ url })).close()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let last = 0
  const add = async (kind: string, body: unknown) => {
    last += 1
    const text = JSON.stringify(body)
    const values = [last, last - 1 || null, kind, Date.now(), text.length, text]
    await client.query({ ...insert, values })
  }
  return {
    async started(call, body) {
      await client.query("BEGIN")
      await add("call", body)
      await client.query({ ...open, values: [`call:${call}`, last] })
      await client.query("COMMIT")
    },
    async ended(call, body) {
      await client.query("BEGIN")
      await add("envelope", body)
      await client.query({ ...close, values: [`call:${call}`] })
      await client.query("COMMIT")
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}
