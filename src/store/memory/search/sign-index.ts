import { memoryLimits } from "../../limits.ts"
import type { Transaction } from "../../sqlite/sqlite-database.ts"

/**
 * The sign bits of an embedder's vectors, in memory: comparing 50,000 of them here takes 3 ms, in the file 12 ms, which is
 * half of what a search may take (bench row memory-search, bar 25 ms). They are read again when the file has changed.
 */
export class SignIndex {
  readonly #embedder: number
  readonly #mostBytes: number
  #rows: SignRows | null = null
  #version = ""

  constructor(embedder: number, mostBytes: number = memoryLimits.signBytes) {
    this.#embedder = embedder
    this.#mostBytes = mostBytes
  }

  /** All rows of the file, of this many bytes each. Null when they are too many. */
  rows(transaction: Transaction, bytesEach: number): SignRows | null {
    // Changes of other connections, and of this one.
    const changes = ["PRAGMA data_version", "SELECT total_changes()"]
    const version = changes.map((one) => transaction.number(one)).join(" ")
    if (version !== this.#version) this.#rows = this.#read(transaction, bytesEach)
    this.#version = version
    return this.#rows
  }

  /** Reads what a search will need, so that it is done while the search waits for its query's vector. */
  warm(transaction: Transaction): void {
    const find = "SELECT dimensions FROM embedders WHERE number = ?"
    const dimensions = transaction.number(find, this.#embedder)
    if (dimensions !== null) this.rows(transaction, Math.ceil(dimensions / 8))
  }

  #read(transaction: Transaction, bytesEach: number): SignRows | null {
    const rowBytes = 8 * Math.ceil(bytesEach / 8)
    const find = "SELECT count(*) FROM signs WHERE embedder = ?"
    const count = transaction.number(find, this.#embedder) ?? 0
    if (count * rowBytes > this.#mostBytes) return null
    // As a few long values: an object for each row takes three times as long to make.
    const groups = transaction.all(
      `SELECT namespace, json_group_array(chunk) AS chunks, group_concat(hex(bits) || ?2, '') AS bits
       FROM signs WHERE embedder = ?1 GROUP BY namespace`,
      ...[this.#embedder, "00".repeat(rowBytes - bytesEach)],
    )
    return new SignRows(
      groups.map(({ namespace, chunks, bits }) => ({
        namespace: Number(namespace),
        chunks: JSON.parse(String(chunks)),
        bits: Buffer.from(String(bits), "hex"),
      })),
      rowBytes,
    )
  }
}

interface Group {
  readonly namespace: number
  readonly chunks: readonly number[]
  /** Those of its chunks, one after the other. */
  readonly bits: Uint8Array
}

/** Sign bits, a row of a multiple of 8 bytes for each chunk. */
export class SignRows {
  /** The length of a row in words; an even number. */
  readonly #words: number
  readonly #bits: Int32Array
  readonly #chunks: readonly number[]
  /** The rows of each namespace: the first, and the first after them. */
  readonly #ranges = new Map<number, readonly [number, number]>()

  constructor(groups: readonly Group[], rowBytes: number) {
    this.#words = rowBytes / 4
    this.#chunks = groups.flatMap(({ chunks }) => chunks)
    this.#bits = new Int32Array(this.#chunks.length * this.#words)
    const bytes = new Uint8Array(this.#bits.buffer)
    let first = 0
    for (const { namespace, chunks, bits } of groups) {
      bytes.set(bits, first * rowBytes)
      this.#ranges.set(namespace, [first, first + chunks.length])
      first += chunks.length
    }
  }

  /** The chunks, at most this many, whose bits differ least from the query's; in no order. */
  nearest(
    bits: Uint8Array,
    { namespace, most }: { readonly namespace: number | null; readonly most: number },
  ): readonly number[] {
    const all = [0, this.#chunks.length] as const
    const [first, beyond] = namespace === null ? all : (this.#ranges.get(namespace) ?? [0, 0])
    const query = new Int32Array(this.#words)
    new Uint8Array(query.buffer).set(bits)
    const differences = new Uint32Array(beyond - first)
    for (let at = 0; at < differences.length; at += 1) {
      differences[at] = bitDifferences(this.#bits, query, first + at)
    }
    return leastOf(differences, 32 * this.#words, most).map((at) => this.#chunks[first + at] ?? 0)
  }
}

const pairs = 0x55555555
const fours = 0x33333333
const bytes = 0x0f0f0f0f

/**
 * How many bits of a row differ from the query's. A row has as many words as the query, and that is an
 * even number: two are counted at once, as sums inside of one word.
 */
function bitDifferences(rows: Int32Array, query: Int32Array, row: number): number {
  let sum = 0
  for (let at = 0, word = row * query.length; at < query.length; at += 2, word += 2) {
    let one = (rows[word] ?? 0) ^ (query[at] ?? 0)
    let other = (rows[word + 1] ?? 0) ^ (query[at + 1] ?? 0)
    one -= (one >>> 1) & pairs
    other -= (other >>> 1) & pairs
    const both = (one & fours) + ((one >>> 2) & fours) + (other & fours) + ((other >>> 2) & fours)
    sum += Math.imul((both & bytes) + ((both >>> 4) & bytes), 0x01010101) >>> 24
  }
  return sum
}

/** Where the least values are. They are counted first, which needs no sorting. */
function leastOf(values: Uint32Array, greatest: number, most: number): number[] {
  const counts = new Uint32Array(greatest + 1)
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  let limit = 0
  let left = most
  while (limit <= greatest && (counts[limit] ?? 0) <= left) {
    left -= counts[limit] ?? 0
    limit += 1
  }
  // All below the limit, and as many at it as there is room for.
  const found: number[] = []
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0
    if (value < limit) found.push(at)
    else if (value === limit && left > 0) {
      left -= 1
      found.push(at)
    }
  }
  return found
}
