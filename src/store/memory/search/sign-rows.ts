import { bitDifferences } from "./bit-differences.ts"

/** Sign bits in memory, a row for each chunk. */
export class SignRows {
  /** Of one row, in words; an even number. */
  readonly #each: number
  #bits = new Int32Array()
  #chunks = new Float64Array()
  #namespaces = new Float64Array()
  #count = 0

  constructor(bytesEach: number) {
    this.#each = 2 * Math.ceil(bytesEach / 8)
  }

  get count(): number {
    return this.#count
  }

  /** What so many rows take of memory. */
  bytesOf(count: number): number {
    return count * this.#each * 4
  }

  /** One row for each chunk, whose bits follow each other in `bits`. */
  add(namespace: number, chunks: readonly number[], bits: Uint8Array): void {
    this.#makeRoom(this.#count + chunks.length)
    const bytes = new Uint8Array(this.#bits.buffer)
    const given = bits.length / chunks.length
    for (const [index, chunk] of chunks.entries()) {
      const at = this.#count + index
      bytes.set(bits.subarray(index * given, (index + 1) * given), at * this.#each * 4)
      this.#chunks[at] = chunk
      this.#namespaces[at] = namespace
    }
    this.#count += chunks.length
  }

  remove(gone: ReadonlySet<number>): void {
    const each = this.#each
    let kept = 0
    for (let at = 0; at < this.#count; at += 1) {
      const chunk = this.#chunks[at] ?? 0
      if (gone.has(chunk)) continue
      if (kept < at) {
        this.#bits.copyWithin(kept * each, at * each, (at + 1) * each)
        this.#chunks[kept] = chunk
        this.#namespaces[kept] = this.#namespaces[at] ?? 0
      }
      kept += 1
    }
    this.#count = kept
  }

  /** The chunks, at most so many, whose bits differ least from the query's; in no order. */
  nearest(
    bits: Uint8Array,
    { namespace, most }: { readonly namespace: number | null; readonly most: number },
  ): readonly number[] {
    const query = new Int32Array(this.#each)
    new Uint8Array(query.buffer).set(bits)
    const [rows, namespaces] = [this.#bits, this.#namespaces]
    const beyond = 32 * this.#each + 1
    const differences = new Uint32Array(this.#count)
    for (let at = 0; at < differences.length; at += 1) {
      const meant = namespace === null || namespaces[at] === namespace
      differences[at] = meant ? bitDifferences(rows, query, at) : beyond
    }
    return leastOf(differences, { beyond, most }).map((at) => this.#chunks[at] ?? 0)
  }

  #makeRoom(count: number): void {
    if (count <= this.#chunks.length) return
    // Half as much again, so that adding one by one copies each row only a few times.
    const room = Math.ceil(count * 1.5)
    const [bits, chunks, namespaces] = [this.#bits, this.#chunks, this.#namespaces]
    this.#bits = new Int32Array(room * this.#each)
    this.#chunks = new Float64Array(room)
    this.#namespaces = new Float64Array(room)
    this.#bits.set(bits)
    this.#chunks.set(chunks)
    this.#namespaces.set(namespaces)
  }
}

/** Where the least values are, of those below `beyond`. They are counted first, which needs no sorting. */
function leastOf(
  values: Uint32Array,
  { beyond, most }: { readonly beyond: number; readonly most: number },
): number[] {
  const counts = new Uint32Array(beyond + 1)
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0
    counts[value] = (counts[value] ?? 0) + 1
  }
  let limit = 0
  let left = most
  while (limit < beyond && (counts[limit] ?? 0) <= left) {
    left -= counts[limit] ?? 0
    limit += 1
  }
  // All below the limit, and as many at it as there is room for.
  const found: number[] = []
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0
    if (value > limit || value === beyond) continue
    if (value === limit) {
      if (left === 0) continue
      left -= 1
    }
    found.push(at)
  }
  return found
}
