const pairs = 0x55555555
const fours = 0x33333333
const bytes = 0x0f0f0f0f

/**
 * How many bits of each row differ from the query's. A row has as many words as the query, and that is
 * an even number: two are counted at once, as sums inside of one word.
 */
export function bitDifferences(rows: Int32Array, query: Int32Array, count: number): Uint16Array {
  const each = query.length
  const differences = new Uint16Array(count)
  for (let row = 0, word = 0; row < count; row += 1) {
    let sum = 0
    for (let at = 0; at < each; at += 2, word += 2) {
      let one = (rows[word] ?? 0) ^ (query[at] ?? 0)
      let other = (rows[word + 1] ?? 0) ^ (query[at + 1] ?? 0)
      one -= (one >>> 1) & pairs
      other -= (other >>> 1) & pairs
      const both = (one & fours) + ((one >>> 2) & fours) + (other & fours) + ((other >>> 2) & fours)
      sum += Math.imul((both & bytes) + ((both >>> 4) & bytes), 0x01010101) >>> 24
    }
    differences[row] = sum
  }
  return differences
}
