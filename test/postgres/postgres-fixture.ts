import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll } from "vitest"
import { ownerOf } from "../../src/node/index.ts"
import { postgresRecord, type RecordStore } from "../../src/store/index.ts"
import type { RecordProcess } from "../../src/testing/index.ts"
import { type Pooler, startPgbouncer } from "../support/postgres/start-pgbouncer.ts"
import { type PostgresServer, runSql, startPostgres } from "../support/postgres/start-postgres.ts"

/** A server for the tests of one file, and pgbouncer before it. */
export function usePostgres(): {
  readonly server: () => PostgresServer
  readonly pooler: () => Pooler
} {
  let server: PostgresServer | undefined
  let pooler: Pooler | undefined
  beforeAll(async () => {
    server = await startPostgres()
    pooler = await startPgbouncer(server)
  })
  afterAll(async () => {
    await pooler?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })
  const required = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("The server has not started.")
    return part
  }
  return { server: () => required(server), pooler: () => required(pooler) }
}

/** The same database through pgbouncer. */
export function through(pooler: Pooler, url: string): string {
  return url.replace(/:\d+\//, `:${pooler.port}/`)
}

/** One database, opened each time for another process, which really runs. */
export function databaseAt(
  url: string,
  openAs: (owner: string) => Promise<RecordStore> = (owner) => postgresRecord({ url, owner }),
): () => Promise<RecordProcess> {
  return async () => {
    const process = spawn("sleep", ["100000"])
    await once(process, "spawn")
    const store = await openAs(ownerOf(process.pid ?? 0))
    const kill = async () => {
      if (process.exitCode !== null || process.signalCode !== null) return
      const exited = once(process, "exit")
      process.kill("SIGKILL")
      await exited
    }
    const bytes = async () => {
      const [row] = await runSql(url, "SELECT pg_database_size(current_database()) AS bytes")
      return Number(row?.bytes)
    }
    return { store, kill, bytes }
  }
}
