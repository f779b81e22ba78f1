import type { PostgresDatabase, Statements } from "./database/postgres-database.ts"
import { foreignSchema, newerSchema } from "./database/postgres-failures.ts"

/**
 * As in SQLite, except for this: a session's row has the number of its last entry, whose change locks the session; a large body is
 * stored once in each session, so that no two sessions share a row; and `lease_until` says when another process may open
 * a session whose owner is silent. Times of leases are the database's own.
 */
const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE toolkeep.sessions (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        name text NOT NULL UNIQUE,
        parent_session text,
        parent_call text,
        state text NOT NULL,
        head integer NOT NULL DEFAULT 0,
        generation bigint NOT NULL DEFAULT 1,
        owner text,
        lease_until timestamptz,
        created_ms double precision NOT NULL,
        updated_ms double precision NOT NULL
      ) WITH (fillfactor = 70)`,
    "CREATE INDEX sessions_of_parent ON toolkeep.sessions (parent_session)",
    `CREATE TABLE toolkeep.entries (
        session bigint NOT NULL,
        sequence integer NOT NULL,
        parent integer,
        kind text NOT NULL,
        at_ms double precision NOT NULL,
        milestone smallint,
        characters integer NOT NULL,
        body text,
        blob bytea,
        PRIMARY KEY (session, sequence)
      )`,
    "CREATE INDEX milestones ON toolkeep.entries (session, sequence) WHERE milestone = 1",
    `CREATE TABLE toolkeep.blobs (
        session bigint NOT NULL,
        hash bytea NOT NULL,
        body text NOT NULL,
        PRIMARY KEY (session, hash)
      )`,
    `CREATE TABLE toolkeep.unclosed (
        session bigint NOT NULL,
        key text NOT NULL,
        sequence integer NOT NULL,
        PRIMARY KEY (session, key)
      )`,
    `CREATE TABLE toolkeep.outputs (
        session bigint NOT NULL,
        call text NOT NULL,
        head text NOT NULL,
        tail text NOT NULL,
        bytes bigint NOT NULL,
        PRIMARY KEY (session, call)
      )`,
    `CREATE TABLE toolkeep.questions (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        session bigint NOT NULL,
        call text NOT NULL,
        asked_ms double precision NOT NULL,
        body text NOT NULL,
        answer text,
        taken smallint
      )`,
    "CREATE INDEX questions_of_session ON toolkeep.questions (session)",
    `CREATE TABLE toolkeep.texts (
        session bigint NOT NULL,
        hash text NOT NULL,
        characters integer NOT NULL,
        body text NOT NULL,
        PRIMARY KEY (session, hash)
      )`,
  ],
  // The order of the entries of all sessions, which is found when somebody asks for it: an append writes nothing of it.
  [
    `CREATE TABLE toolkeep.positions (
        position bigint PRIMARY KEY,
        session bigint NOT NULL,
        sequence integer NOT NULL,
        length integer NOT NULL
      )`,
    "CREATE INDEX positions_of_session ON toolkeep.positions (session)",
    "CREATE TABLE toolkeep.positioned (session bigint PRIMARY KEY, head integer NOT NULL)",
    "CREATE TABLE toolkeep.last_position (position bigint NOT NULL)",
    "INSERT INTO toolkeep.last_position VALUES (0)",
  ],
]

/** "TKrc": other programs that use this kind of lock in the same database have other numbers. */
const migrationLock = 0x544b7263

/** Makes or updates the tables, where they are not as this version knows them. What is not ours is left as it is. */
export async function migrate(database: PostgresDatabase): Promise<void> {
  // Not tried again: a wrong address is to be told at once.
  const options = { repeatMs: 0 }
  const isCurrent = (version: number | null) => version === migrations.length
  if (isCurrent(await database.transaction((one) => readVersion(one, database), options))) return
  await database.transaction(async (one) => {
    // Of processes that start at the same moment, one does it.
    await one.query(`SELECT pg_advisory_xact_lock(${migrationLock})`)
    const version = await readVersion(one, database)
    if (isCurrent(version)) return
    if (version === null) await createSchema(one)
    for (const step of migrations.slice(version ?? 0).flat()) await one.query(step)
    await one.query(
      `INSERT INTO toolkeep.versions (part, version) VALUES ('record', ${migrations.length})
       ON CONFLICT (part) DO UPDATE SET version = excluded.version`,
    )
  }, options)
}

/** The version of the record; null where there is nothing of Toolkeep. */
async function readVersion(one: Statements, { address }: PostgresDatabase): Promise<number | null> {
  const [found] = await one.query(tablesNow)
  const tables = Number(found?.tables ?? 0)
  const columns = String(found?.columns ?? "")
  if (columns === "" && tables === 0) return null
  if (columns !== "part version") throw foreignSchema(address)
  const [row] = await one.query("SELECT version FROM toolkeep.versions WHERE part = 'record'")
  const version = Number(row?.version ?? 0)
  if (version > migrations.length) throw newerSchema(address, version, migrations.length)
  return version
}

/** How many tables the schema has, and the columns of the one that says what they are. */
const tablesNow = `
  SELECT count(DISTINCT c.oid) AS tables,
    coalesce(string_agg(a.attname, ' ' ORDER BY a.attnum) FILTER (WHERE c.relname = 'versions'), '') AS columns
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'toolkeep'
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')`

async function createSchema(one: Statements): Promise<void> {
  const [found] = await one.query(
    "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'toolkeep'",
  )
  // A person may have created it for a user that may not.
  if (!found) await one.query("CREATE SCHEMA toolkeep")
  await one.query(
    "CREATE TABLE toolkeep.versions (part text PRIMARY KEY, version integer NOT NULL)",
  )
}
