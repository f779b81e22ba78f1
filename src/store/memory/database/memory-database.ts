import { open } from "node:fs/promises"
import { dirname } from "node:path"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { setTimeout as delay } from "node:timers/promises"
import { makeDirectories } from "../../../node/index.ts"
import { memoryLimits } from "../../limits.ts"

import { migrate, requireKnown } from "./memory-schema.ts"
import { isBusy, loadSqlite, memoryProblem } from "./sqlite.ts"

type Row = Readonly<Record<string, unknown>>
type Values = readonly SQLInputValue[]

/** What runs inside one transaction. */
export interface Transaction {
  all(sql: string, ...values: Values): readonly Row[]
  get(sql: string, ...values: Values): Row | undefined
  /** The first value of the first row as a number; null when there is none. */
  number(sql: string, ...values: Values): number | null
  run(sql: string, ...values: Values): { readonly changes: number; readonly row: number }
}

/**
 * The file, as transactions. SQLite would wait for another process by blocking this whole one; here it
 * is asked again between other work, so that deadlines hold.
 */
export class MemoryDatabase implements Transaction {
  readonly file: string
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #closed = false

  private constructor(file: string, database: DatabaseSync) {
    this.file = file
    this.#database = database
  }

  static async open(file: string, signal?: AbortSignal): Promise<MemoryDatabase> {
    const { DatabaseSync } = loadSqlite()
    await makeFile(file)
    let database: DatabaseSync | undefined
    try {
      database = new DatabaseSync(file, { allowExtension: true, timeout: 0 })
      const opened = new MemoryDatabase(file, database)
      await opened.#whenFree(() => prepareFile(opened.#database, file), signal)
      await opened.#inTransaction("IMMEDIATE", () => migrate(opened.#database, file), signal)
      return opened
    } catch (error) {
      database?.close()
      throw memoryProblem(error, file)
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

  /** Everything in `work` sees one state of the file. */
  read<Result>(work: (transaction: Transaction) => Result, signal?: AbortSignal): Promise<Result> {
    return this.#inTransaction("DEFERRED", () => work(this), signal)
  }

  /** All of `work` is stored, or nothing. When this resolves it is on the disk. */
  write<Result>(work: (transaction: Transaction) => Result, signal?: AbortSignal): Promise<Result> {
    return this.#inTransaction("IMMEDIATE", () => work(this), signal)
  }

  all(sql: string, ...values: Values): readonly Row[] {
    return this.#prepared(sql).all(...values)
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
    this.#closed = true
    this.#statements.clear()
    this.#database.close()
  }

  #prepared(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  async #inTransaction<Result>(
    kind: "DEFERRED" | "IMMEDIATE",
    work: () => Result,
    signal?: AbortSignal,
  ): Promise<Result> {
    const attempt = () => {
      this.#database.exec(`BEGIN ${kind}`)
      try {
        const result = work()
        this.#database.exec("COMMIT")
        return result
      } catch (error) {
        this.#rollBack()
        throw error
      }
    }
    try {
      return await this.#whenFree(attempt, signal)
    } catch (error) {
      throw memoryProblem(error, this.file)
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK")
    } catch {
      // Some failures, such as a full disk, have rolled it back already.
    }
  }

  async #whenFree<Result>(work: () => Result, signal?: AbortSignal): Promise<Result> {
    const giveUpAt = Date.now() + memoryLimits.lockMs
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

function prepareFile(database: DatabaseSync, file: string): void {
  // The journal's mode is written into the file.
  requireKnown(database, file)
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -32768;
    PRAGMA mmap_size = 268435456;
  `)
}
