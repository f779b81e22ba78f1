import { setTimeout as delay } from "node:timers/promises"
import { ToolFailure } from "../../../contract/index.ts"
import { postgresLimits } from "../../limits.ts"
import { fromStored, toStored } from "./null-characters.ts"
import { databaseFailure, troubleOf } from "./postgres-failures.ts"
import type {
  ConnectedPool,
  PostgresAddress,
  PostgresClient,
  PostgresResult,
} from "./postgres-pool.ts"

type Row = Readonly<Record<string, unknown>>

/** Runs one statement. */
export interface Statements {
  /** `values` may be texts with any character. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
}

export interface RepeatOptions {
  /** How long it is tried again after the connection was lost. */
  readonly repeatMs?: number
}

/**
 * The database, as statements and transactions. After a lost connection it is not known whether one has taken effect,
 * and it is run again: so each must be one that may be run twice. All names are qualified, and nothing is prepared or set for a
 * connection, because behind pgbouncer the next transaction may have another one.
 */
export class PostgresDatabase implements Statements {
  readonly address: PostgresAddress
  readonly #connected: ConnectedPool
  #isClosed = false

  constructor(connected: ConnectedPool) {
    this.#connected = connected
    this.address = connected.address
  }

  async query(
    sql: string,
    values: readonly unknown[] = [],
    options: RepeatOptions = {},
  ): Promise<readonly Row[]> {
    return this.#repeat((client) => run(client, sql, values), options)
  }

  /** All of `work` or nothing. `isRepeated` says that an earlier attempt may have taken effect. */
  async transaction<Result>(
    work: (one: Statements, isRepeated: boolean) => Promise<Result>,
    options: RepeatOptions = {},
  ): Promise<Result> {
    return this.#repeat(async (client, isRepeated) => {
      await run(client, "BEGIN")
      try {
        const one: Statements = { query: (sql, values) => run(client, sql, values) }
        const result = await work(one, isRepeated)
        await run(client, "COMMIT")
        return result
      } catch (error) {
        // Where the connection is lost, so is the transaction.
        if (troubleOf(error) !== "connection") await run(client, "ROLLBACK")
        throw error
      }
    }, options)
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#connected.close()
  }

  async #repeat<Result>(
    work: (client: PostgresClient, isRepeated: boolean) => Promise<Result>,
    { repeatMs = postgresLimits.repeatMs }: RepeatOptions,
  ): Promise<Result> {
    const giveUpAt = performance.now() + repeatMs
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#onConnection((client) => work(client, attempt > 0))
      } catch (error) {
        const isOver = performance.now() >= giveUpAt
        if (troubleOf(error) === "other" || isOver) throw databaseFailure(error, this.address)
      }
      const pauseMs = Math.min(postgresLimits.pauseMs * 2 ** attempt, postgresLimits.pauseMostMs)
      // At random, so that those who wait do not all ask at the same moment.
      await delay(pauseMs * (0.5 + Math.random() / 2))
    }
  }

  async #onConnection<Result>(work: (client: PostgresClient) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw recordClosed()
    const client = await this.#connected.pool.connect()
    // Without a listener, a connection that breaks between two statements would end the process.
    client.on("error", ignore)
    let isBroken = false
    try {
      return await work(client)
    } catch (error) {
      isBroken = troubleOf(error) === "connection"
      throw error
    } finally {
      client.removeListener("error", ignore)
      client.release(isBroken)
    }
  }
}

function recordClosed(): ToolFailure {
  const message = "The record was closed, so nothing can be read from it or written to it."
  return new ToolFailure({ kind: "unavailable", message, retryable: false })
}

const ignore = () => {}

async function run(
  client: PostgresClient,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const { rows }: PostgresResult = await client.query({
    text: sql,
    query_timeout: postgresLimits.statementMs,
    ...(values.length > 0 && { values: values.map(toValue) }),
  })
  return rows.map(fromRow)
}

function toValue(value: unknown): unknown {
  if (typeof value === "string") return toStored(value)
  return Array.isArray(value) ? value.map(toValue) : value
}

function fromRow(row: Row): Row {
  const entries = Object.entries(row)
  const hasEscapes = entries.some(([, value]) => typeof value === "string" && hasEscape(value))
  if (!hasEscapes) return row
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === "string" ? fromStored(value) : value]),
  )
}

function hasEscape(text: string): boolean {
  return text.includes("\u0001")
}
