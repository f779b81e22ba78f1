/** Random choices that a seed repeats exactly. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number
  /** A whole number from 0 up to, but not including, `end`. */
  below(end: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/** The generator known as mulberry32: small, quick, and good enough to choose inputs. */
export function createRandom(seed: number): Random {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick(items) {
      if (items.length === 0) throw new Error("There is nothing to pick from.")
      return items[below(items.length)] as (typeof items)[number]
    },
  }
}
