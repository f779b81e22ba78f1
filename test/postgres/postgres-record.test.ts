import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { postgresRecord } from "../../src/store/index.ts"
import { recordChecks } from "../../src/testing/index.ts"
import { runSql } from "../support/postgres/start-postgres.ts"
import { databaseAt, through, usePostgres } from "./postgres-fixture.ts"

const { server, pooler } = usePostgres()

/** One database for all checks: other sessions may be in it. */
let shared: Promise<string> | undefined
const sharedDatabase = () => {
  shared ??= server().createDatabase()
  return shared
}

const entry = { kind: "note", at: 1, body: 1 }

describe("the record in PostgreSQL", () => {
  it.each(recordChecks)("F20, F21: $id: $promise", async (check) => {
    expect(await check.run(databaseAt(await sharedDatabase()))).not.toBe("")
  })
})

describe("the record in PostgreSQL behind pgbouncer in transaction mode", () => {
  it.each(recordChecks)("F20, F21: $id: $promise", async (check) => {
    const url = through(pooler(), await sharedDatabase())
    expect(await check.run(databaseAt(url))).not.toBe("")
  })
})

it("F20: works on the pool of a program, and leaves it open", async () => {
  const url = await server().createDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  onTestFinished(() => pool.end())
  const store = await postgresRecord({ pool })
  const sessions = await Promise.all(["a", "b", "c"].map((name) => store.open(name)))
  await Promise.all(sessions.map((session) => session.append([entry, entry])))
  await store.close()
  await expect(sessions[0]?.append([entry])).rejects.toThrow("The record was closed")
  const { rows } = await pool.query("SELECT name, head, owner FROM toolkeep.sessions ORDER BY name")
  expect(rows).toEqual(["a", "b", "c"].map((name) => ({ name, head: 2, owner: null })))
})

it("F20: texts with characters that PostgreSQL can't store are found as they were given", async () => {
  const url = await server().createDatabase()
  await using store = await postgresRecord({ url })
  const names = ["\0", "\u0001", "\u00010", "0\0\u00011", "\u0001\0"]
  for (const name of names) {
    const session = await store.open(name)
    await session.append([{ ...entry, kind: name, opens: name, body: { [name]: name } }])
    await session.putOutput(name, { head: name, tail: name, bytes: 1 })
  }
  for (const name of names) {
    const reader = await store.read(name)
    const [read] = (await reader?.unclosed()) ?? []
    expect(read).toMatchObject({ key: name, kind: name, body: { [name]: name } })
    expect(await reader?.output(name)).toEqual({ head: name, tail: name, bytes: 1 })
  }
  expect((await store.sessions()).map(({ name }) => name).sort()).toEqual(names.toSorted())
})

it("F20: of thirty processes that open one session at the same moment, one has it", async () => {
  const url = await server().createDatabase()
  const openOne = databaseAt(url)
  const processes = await Promise.all(Array.from({ length: 30 }, openOne))
  onTestFinished(async () => {
    await Promise.all(processes.map(({ store }) => store.close()))
    await Promise.all(processes.map(({ kill }) => kill()))
  })
  for (const name of ["new", "closed"]) {
    if (name === "closed") await (await processes[0]?.store.open(name))?.close()
    const opened = await Promise.allSettled(processes.map(({ store }) => store.open(name)))
    expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    const [row] = await runSql(
      url,
      `SELECT generation, count(*) OVER () AS sessions FROM toolkeep.sessions WHERE name = '${name}'`,
    )
    expect(row).toEqual({ generation: name === "new" ? "1" : "2", sessions: "1" })
  }
})

it("F20: appends of one session that wait for each other are written together, in their order", async () => {
  const url = await server().createDatabase()
  await using store = await postgresRecord({ url })
  const session = await store.open("one")
  const before = await transactions(url)
  const numbers = Array.from({ length: 500 }, (_, index) => index + 1)
  const answers = await Promise.all(
    numbers.map((body) =>
      session.append([
        { ...entry, body },
        { ...entry, body: -body },
      ]),
    ),
  )
  expect(answers.map(([first]) => first?.sequence)).toEqual(numbers.map((number) => 2 * number - 1))
  const bodies = (await session.entries({ limit: 10_000 })).map(({ body }) => body)
  expect(bodies).toEqual(numbers.flatMap((body) => [body, -body]))
  expect((await transactions(url)) - before).toBeLessThan(100)
})

/** Grows by one with each transaction that writes, and with this one. */
async function transactions(url: string): Promise<number> {
  const [row] = await runSql(url, "SELECT txid_current() AS number")
  return Number(row?.number)
}

it("F20: a database of the first version is brought up to date, and its entries have an order", async () => {
  const url = await server().createDatabase()
  const first = await postgresRecord({ url })
  for (const name of ["a", "b"]) await (await first.open(name)).append([entry])
  await first.close()
  await runSql(url, "DROP TABLE toolkeep.positions, toolkeep.positioned, toolkeep.last_position")
  await runSql(url, "UPDATE toolkeep.versions SET version = 1")
  await using store = await postgresRecord({ url })
  const all = await store.entries({ after: 0 })
  expect(all.map(({ position, session }) => [position, session.name])).toEqual([
    ...[
      [1, "a"],
      [2, "b"],
    ],
  ])
})
