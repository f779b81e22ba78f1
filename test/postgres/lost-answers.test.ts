import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { postgresRecord } from "../../src/store/index.ts"
import type { PostgresPool } from "../../src/store/postgres/database/postgres-pool.ts"
import { recordChecks } from "../../src/testing/index.ts"
import { databaseAt, usePostgres } from "./postgres-fixture.ts"

const { server } = usePostgres()

/** A pool whose connections break at every so many statements, in turns before and after the statement has taken effect. */
function breakingPool(
  pool: pg.Pool,
  every: number,
): PostgresPool & { readonly lost: () => number } {
  let statements = 0
  let lost = 0
  return {
    lost: () => lost,
    async connect() {
      const client = await pool.connect()
      return {
        async query(query) {
          statements += 1
          const isLost = statements % every === 0
          if (isLost) lost += 1
          if (isLost && lost % 2 === 0) throw connectionReset()
          const result = await client.query(query)
          if (isLost) throw connectionReset()
          return result
        },
        release: (destroy) => client.release(destroy),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      }
    },
  }
}

function connectionReset(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })
}

describe("the record in PostgreSQL over connections that break, before or after a statement", () => {
  it.each(recordChecks)("F18, F20: $id: $promise", async (check) => {
    const url = await server().createDatabase()
    // The tables are there: opening is not tried again, so that a wrong address is told at once.
    await (await postgresRecord({ url })).close()
    const pool = new pg.Pool({ connectionString: url, max: 8 })
    pool.on("error", () => {})
    onTestFinished(() => pool.end())
    const breaking = breakingPool(pool, 6)
    const open = databaseAt(url, (owner) => openPatiently({ pool: breaking, owner }))
    expect(await check.run(open)).not.toBe("")
    expect(breaking.lost()).toBeGreaterThan(0)
  })
})

/** As a person would who is told that the database can't be reached. */
async function openPatiently(options: Parameters<typeof postgresRecord>[0]) {
  for (;;) {
    try {
      return await postgresRecord(options)
    } catch (error) {
      expect(String(error)).toContain("can't be reached (ECONNRESET)")
    }
  }
}
