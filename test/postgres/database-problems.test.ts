import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { postgresRecord } from "../../src/store/index.ts"
import { connectPool } from "../../src/store/postgres/database/connect-pool.ts"
import { addressOf, password, runSql } from "../support/postgres/start-postgres.ts"
import { freePort } from "../support/postgres/start-program.ts"
import { through, usePostgres } from "./postgres-fixture.ts"

const { server, pooler } = usePostgres()

/** The sentence that says why a record can't be opened. Nothing of the error has a secret. */
async function problemWith(url: string): Promise<string> {
  const error = await postgresRecord({ url }).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ name: "ToolFailure", kind: "unavailable" })
  const all = inspect(error, { depth: 20, showHidden: true })
  for (const secret of [password, encodeURIComponent(password), "wr0ng-secret"]) {
    expect(all).not.toContain(secret)
  }
  return (error as Error).message
}

describe("a database that can't be used is named in one sentence without a secret", () => {
  it("F18, O8: where nothing listens at its address", async () => {
    const port = await freePort()
    expect(await problemWith(addressOf(port, "record_1"))).toBe(
      `PostgreSQL at 127.0.0.1:${port} can't be reached (ECONNREFUSED). Check that it runs, and store in toolkeep.yaml.`,
    )
  })

  it("F18, O8: where the password is wrong or missing, also behind pgbouncer", async () => {
    const url = await server().createDatabase()
    for (const [port, at] of [
      [server().port, url],
      [pooler().port, through(pooler(), url)],
    ] as const) {
      const sentence = `PostgreSQL at 127.0.0.1:${port} does not accept the password of the user "toolkeep". Check store in toolkeep.yaml.`
      const wrong = at.replace(encodeURIComponent(password), "wr0ng-secret")
      expect(await problemWith(wrong)).toBe(sentence)
      expect(await problemWith(at.replace(`:${encodeURIComponent(password)}`, ""))).toBe(sentence)
    }
  })

  it("F18, O8: where the server has no such database, also behind pgbouncer", async () => {
    for (const { port } of [server(), pooler()]) {
      expect(await problemWith(addressOf(port, "absent"))).toBe(
        `PostgreSQL at 127.0.0.1:${port} does not have the database "absent". Create it, or check store in toolkeep.yaml.`,
      )
    }
  })

  it("F18, O8: where its user may not create the tables, and it works once they are there", async () => {
    const url = await server().createDatabase()
    await runSql(url, "CREATE USER reader PASSWORD 'wr0ng-secret'")
    const asReader = url.replace(/\/\/.*@/, "//reader:wr0ng-secret@")
    expect(await problemWith(asReader)).toBe(
      `PostgreSQL at 127.0.0.1:${server().port} does not allow the user "reader" to create or use the schema toolkeep in the ` +
        `database "${url.slice(url.lastIndexOf("/") + 1)}". Grant CREATE on that database, or create the schema for that user.`,
    )
    // A person makes the schema for that user.
    await runSql(url, "CREATE SCHEMA toolkeep AUTHORIZATION reader")
    await using store = await postgresRecord({ url: asReader })
    await (await store.open("a")).append([{ kind: "note", at: 1, body: 1 }])
  })

  it("F18, O8: where the address is not one", async () => {
    for (const url of ["postgres://a:wr0ng-secret@b:port/c", "mysql://u:wr0ng-secret@h/d", ""]) {
      expect(await problemWith(url)).toMatch(
        /^The address of the store is not valid\. Write it as postgres:\/\/user:password@host:5432\/database/,
      )
    }
  })

  it("F18, O8: where pg can't be loaded", async () => {
    const load = () => import("pg/missing" as string)
    await expect(connectPool("postgres://h/d", load)).rejects.toMatchObject({
      kind: "unavailable",
      retryable: false,
      message: expect.stringContaining("A record in PostgreSQL can't load pg: "),
    })
  })
})

describe("a schema that is not this version's", () => {
  const allOf = (url: string) =>
    runSql(
      url,
      `SELECT relname, relkind, xmin::text FROM pg_class WHERE relnamespace = 'toolkeep'::regnamespace ORDER BY relname`,
    )

  it("F18, O8: is refused and left as it is, where a newer Toolkeep has written it", async () => {
    const url = await server().createDatabase()
    await (await postgresRecord({ url })).close()
    await runSql(url, "UPDATE toolkeep.versions SET version = 99")
    const before = await allOf(url)
    expect(await problemWith(url)).toMatch(
      /^The record in PostgreSQL at \S+, database "record_\d+", was written by a newer Toolkeep \(its version is 99, this one knows 2\); nothing was changed\. Update Toolkeep\.$/,
    )
    expect(await allOf(url)).toEqual(before)
  })

  it("F18, O8: is refused and left as it is, where another program uses the name", async () => {
    for (const table of ["accounts (id integer)", "versions (id integer)", "sessions (id text)"]) {
      const url = await server().createDatabase()
      await runSql(url, `CREATE SCHEMA toolkeep; CREATE TABLE toolkeep.${table}`)
      const before = await allOf(url)
      expect(await problemWith(url)).toMatch(
        /^The schema toolkeep in PostgreSQL at \S+, database "record_\d+", belongs to another program and was not changed\. Use another database\.$/,
      )
      expect(await allOf(url)).toEqual(before)
    }
  })

  it("F18: is made once by twenty processes that start at the same moment, also behind pgbouncer", async () => {
    const url = await server().createDatabase()
    const urls = [url, through(pooler(), url)]
    const stores = await Promise.all(
      Array.from({ length: 20 }, (_, index) => postgresRecord({ url: urls[index % 2] ?? url })),
    )
    await Promise.all(stores.map((store) => store.close()))
    expect(await runSql(url, "SELECT * FROM toolkeep.versions")).toEqual([
      { part: "record", version: 2 },
    ])
  })
})
