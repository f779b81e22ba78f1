import { open } from "node:fs/promises"
import { dirname } from "node:path"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { setTimeout as delay } from "node:timers/promises"
import { makeDirectories } from "../../node/index.ts"
import { storeLimits } from "../limits.ts"
import { databaseProblem, isBusy, loadSqlite } from "./sqlite.ts"
import { type DatabaseSchema, migrate, requireKnown } from "./sqlite-schema.ts"

type Row = Readonly<Record<string, unknown>>
type Values = readonly SQLInputValue[]

export interface OpenOptions {
  readonly schema: DatabaseSchema
  /** What a commit survives: the end of the machine, or only that of this process, which costs a tenth. */
  readonly durability: "machine" | "process"
  readonly signal?: AbortSignal | undefined
}

/** What runs inside one transaction. */
export interface Transaction {
  all(sql: string, ...values: Values): readonly Row[]
  /** The same, each when it is asked for. */
  rows(sql: string, ...values: Values): Iterable<Row>
  get(sql: string, ...values: Values): Row | undefined
  /** The first value of the first row as a number; null when there is none. */
  number(sql: string, ...values: Values): number | null
  run(sql: string, ...values: Values): { readonly changes: number; readonly row: number }
}

export interface WriteOptions {
  readonly signal?: AbortSignal | undefined
  readonly isOneStatement?: (() => boolean) | undefined
}

/** What waits to be written together with what else is asked for in the same moment. */
interface PendingWrite {
  readonly work: (transaction: Transaction) => unknown
  readonly isOneStatement: (() => boolean) | undefined
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * The file, as transactions. SQLite would wait for another process by blocking this whole one; here it
 * is asked again between other work, so that deadlines hold.
 */
export class SqliteDatabase implements Transaction {
  readonly file: string
  readonly #what: string
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #pending: PendingWrite[] = []
  #rollbacks = 0
  #closed = false

  private constructor(file: string, what: string, database: DatabaseSync) {
    this.file = file
    this.#what = what
    this.#database = database
  }

  static async open(file: string, options: OpenOptions): Promise<SqliteDatabase> {
    const { schema, signal } = options
    const { DatabaseSync } = loadSqlite()
    await makeFile(file)
    let database: DatabaseSync | undefined
    try {
      database = new DatabaseSync(file, { allowExtension: true, timeout: 0 })
      const opened = new SqliteDatabase(file, schema.what, database)
      await opened.#whenFree(() => prepareFile(opened.#database, file, options), signal)
      await opened.#inTransaction(
        "IMMEDIATE",
        () => migrate(opened.#database, file, schema),
        signal,
      )
      return opened
    } catch (error) {
      database?.close()
      throw databaseProblem(error, schema.what, file)
    }
  }

  /** Makes an extension's functions known; throws when it can't be loaded. */
  load(extension: string): void {
    this.#database.enableLoadExtension(true)
    try {
      this.#database.loadExtension(extension)
    } finally {
      this.#database.enableLoadExtension(false)
    }
  }

  /** For one statement, which needs no transaction to see one state of the file. */
  async query<Result>(work: (transaction: Transaction) => Result): Promise<Result> {
    try {
      return await this.#whenFree(() => work(this))
    } catch (error) {
      throw databaseProblem(error, this.#what, this.file)
    }
  }

  /** Everything in `work` sees one state of the file. */
  read<Result>(work: (transaction: Transaction) => Result, signal?: AbortSignal): Promise<Result> {
    return this.#inTransaction("DEFERRED", () => work(this), signal)
  }

  /**
   * All of `work` is stored, or nothing. When this resolves it is on the disk. What several ask for in the same moment,
   * such as the calls of one answer, shares one commit (bench: session-loop). Work that says just before it is done that
   * it is one statement needs no transaction around it (bench: session-recorded-mcp).
   */
  write<Result>(
    work: (transaction: Transaction) => Result,
    { signal, isOneStatement }: WriteOptions = {},
  ): Promise<Result> {
    if (signal) return this.#inTransaction("IMMEDIATE", () => work(this), signal)
    return new Promise<Result>((resolve, reject) => {
      this.#pending.push({ work, isOneStatement, resolve, reject })
      if (this.#pending.length === 1) queueMicrotask(this.#writePending)
    })
  }

  /** How many transactions were taken back. While it is the same, what earlier ones have written is in the file. */
  get rollbacks(): number {
    return this.#rollbacks
  }

  all(sql: string, ...values: Values): readonly Row[] {
    return this.#prepared(sql).all(...values)
  }

  rows(sql: string, ...values: Values): Iterable<Row> {
    return this.#prepared(sql).iterate(...values)
  }

  get(sql: string, ...values: Values): Row | undefined {
    return this.#prepared(sql).get(...values)
  }

  number(sql: string, ...values: Values): number | null {
    const [value] = Object.values(this.get(sql, ...values) ?? {})
    return value == null ? null : Number(value)
  }

  run(sql: string, ...values: Values): { readonly changes: number; readonly row: number } {
    const { changes, lastInsertRowid } = this.#prepared(sql).run(...values)
    return { changes: Number(changes), row: Number(lastInsertRowid) }
  }

  close(): void {
    if (this.#closed) return
    this.#writePending()
    this.#closed = true
    this.#statements.clear()
    this.#database.close()
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  async #inTransaction<Result>(
    kind: "DEFERRED" | "IMMEDIATE",
    work: () => Result,
    signal?: AbortSignal,
  ): Promise<Result> {
    try {
      return await this.#whenFree(() => this.#attempt(kind, work), signal)
    } catch (error) {
      throw databaseProblem(error, this.#what, this.file)
    }
  }

  #attempt<Result>(kind: "DEFERRED" | "IMMEDIATE", work: () => Result): Result {
    this.#prepared(`BEGIN ${kind}`).run()
    try {
      const result = work()
      this.#prepared("COMMIT").run()
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** At once where the file is free, as it nearly always is (bench: session-recorded-call). */
  readonly #writePending = (): void => {
    const together = this.#pending
    if (together.length === 0) return
    this.#pending = []
    try {
      resolveAll(together, this.#writeTogether(together))
    } catch {
      void this.#writeLater(together)
    }
  }

  #writeTogether(together: readonly PendingWrite[]): readonly unknown[] {
    const [first] = together
    if (together.length > 1 || !first?.isOneStatement?.()) {
      return this.#attempt("IMMEDIATE", this.#all(together))
    }
    try {
      return [first.work(this)]
    } catch (error) {
      this.#rollbacks += 1
      throw error
    }
  }

  /** Waits for a file that another process writes. One that fails does not take the others with it. */
  async #writeLater(together: readonly PendingWrite[]): Promise<void> {
    try {
      resolveAll(together, await this.#inTransaction("IMMEDIATE", this.#all(together)))
    } catch (error) {
      if (together.length === 1) return together[0]?.reject(error)
      for (const one of together) await this.#writeLater([one])
    }
  }

  #all(together: readonly PendingWrite[]): () => readonly unknown[] {
    return () => together.map(({ work }) => work(this))
  }

  #rollBack(): void {
    this.#rollbacks += 1
    try {
      this.#database.exec("ROLLBACK")
    } catch {
      // Some failures, such as a full disk, have rolled it back already.
    }
  }

  async #whenFree<Result>(work: () => Result, signal?: AbortSignal): Promise<Result> {
    const giveUpAt = Date.now() + storeLimits.fileLockMs
    for (;;) {
      signal?.throwIfAborted()
      try {
        return work()
      } catch (error) {
        if (!isBusy(error) || Date.now() > giveUpAt) throw error
      }
      // At random, so that those who wait do not all ask at the same moment.
      await delay(1 + Math.random() * 15, undefined, signal ? { signal } : {})
    }
  }
}

function resolveAll(together: readonly PendingWrite[], results: readonly unknown[]): void {
  for (const [index, { resolve }] of together.entries()) resolve(results[index] as never)
}

/** Only for its owner: what people tell an agent is nobody else's. */
async function makeFile(file: string): Promise<void> {
  try {
    makeDirectories(dirname(file), 0o700)
    const handle = await open(file, "a", 0o600)
    await handle.close()
  } catch {
    // SQLite then says what is wrong with it, in words of its own.
  }
}

function prepareFile(database: DatabaseSync, file: string, options: OpenOptions): void {
  // The journal's mode is written into the file.
  requireKnown(database, file, options.schema)
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${options.durability === "process" ? "NORMAL" : "FULL"};
    PRAGMA cache_size = -32768;
    PRAGMA mmap_size = 268435456;
    PRAGMA wal_autocheckpoint = ${storeLimits.walPages};
  `)
}
