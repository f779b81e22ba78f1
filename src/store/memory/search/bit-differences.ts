const pairs = 0x55555555
const fours = 0x33333333
const bytes = 0x0f0f0f0f

/**
 * How many bits of a row differ from the query's. A row has as many words as the query, and that is an
 * even number: two are counted at once, as sums inside of one word.
 */
export function bitDifferences(rows: Int32Array, query: Int32Array, row: number): number {
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
