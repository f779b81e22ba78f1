import { memoryLimits } from "../../limits.ts"
import type { Transaction } from "../database/memory-database.ts"
import { SignRows } from "./sign-rows.ts"

/**
 * The sign bits of an embedder's vectors, in memory: comparing them here takes a fifth of what it takes
 * in the file. What any process has added is read when the next search asks for the rows. What was
 * removed is noticed by that search, which looks up in the file what it found here.
 */
export class SignIndex {
  readonly #embedder: number
  readonly #mostBytes: number
  #rows: SignRows | null = null
  #fits = true
  /** The newest vector that was looked at, of whichever embedder. Their numbers only go up. */
  #newest = 0

  constructor(embedder: number, mostBytes: number = memoryLimits.signBytes) {
    this.#embedder = embedder
    this.#mostBytes = mostBytes
  }

  /**
   * All rows that the file has, of so many bytes each, and maybe some that it no longer has. Null when
   * they are too many.
   */
  rows(transaction: Transaction, bytesEach: number): SignRows | null {
    if (!this.#fits) return null
    const row = transaction.get("SELECT max(number) AS newest FROM vectors")
    const newest = Number(row?.newest ?? 0)
    if (this.#rows === null) this.#rows = this.#readAll(transaction, bytesEach)
    else if (newest > this.#newest) this.#readNew(transaction, this.#rows)
    this.#newest = Math.max(this.#newest, newest)
    this.#fits = this.#rows !== null && this.#rows.bytesOf(this.#rows.count) <= this.#mostBytes
    if (!this.#fits) this.#rows = null
    return this.#rows
  }

  /** Reads what a search will need, so that it is done while the search waits for its query's vector. */
  warm(transaction: Transaction): void {
    const row = transaction.get("SELECT dimensions FROM embedders WHERE number = ?", this.#embedder)
    if (row?.dimensions != null) this.rows(transaction, Math.ceil(Number(row.dimensions) / 8))
  }

  /** The next search reads all rows again. */
  clear(): void {
    this.#rows = null
  }

  #readAll(transaction: Transaction, bytesEach: number): SignRows | null {
    const row = transaction.get(
      "SELECT count(*) AS count FROM signs WHERE embedder = ?",
      this.#embedder,
    )
    const rows = new SignRows(bytesEach)
    if (rows.bytesOf(Number(row?.count)) > this.#mostBytes) return null
    // As a few long values: an object for each row takes three times as long to make.
    const groups = transaction.all(
      `SELECT namespace, json_group_array(chunk) AS chunks, group_concat(hex(bits), '') AS bits
       FROM signs WHERE embedder = ? GROUP BY namespace`,
      this.#embedder,
    )
    for (const group of groups) addGroup(rows, group)
    return rows
  }

  #readNew(transaction: Transaction, rows: SignRows): void {
    const groups = transaction.all(
      `SELECT signs.namespace, json_group_array(signs.chunk) AS chunks, group_concat(hex(bits), '') AS bits
       FROM vectors CROSS JOIN chunks ON chunks.number = vectors.chunk
       CROSS JOIN signs ON signs.embedder = ?1 AND signs.namespace = chunks.namespace
         AND signs.chunk = chunks.number
       WHERE vectors.number > ?2 AND vectors.embedder = ?1 GROUP BY signs.namespace`,
      ...[this.#embedder, this.#newest],
    )
    for (const group of groups) addGroup(rows, group)
  }
}

function addGroup(rows: SignRows, group: Readonly<Record<string, unknown>>): void {
  const chunks: number[] = JSON.parse(String(group.chunks))
  rows.add(Number(group.namespace), chunks, Buffer.from(String(group.bits), "hex"))
}
