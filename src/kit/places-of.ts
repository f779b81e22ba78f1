/**
 * Every index at which `wanted` occurs in `whole`, overlapping ones included: of a text in a text, or of lines in
 * lines. The time grows with the two lengths and never with their product (Knuth, Morris and Pratt). String.indexOf
 * takes hours for a long text that nearly matches at every index.
 */
export function* placesOf<Item>(
  whole: ArrayLike<Item>,
  wanted: ArrayLike<Item>,
): Generator<number, void> {
  const { length } = wanted
  const table = borders(wanted)
  let matched = 0
  for (let index = 0; index < whole.length; index += 1) {
    while (matched > 0 && whole[index] !== wanted[matched]) matched = table[matched - 1] ?? 0
    if (whole[index] === wanted[matched]) matched += 1
    if (matched < length) continue
    yield index - length + 1
    matched = table[matched - 1] ?? 0
  }
}

/** For each beginning, how many of its first items are also its last ones. */
function borders<Item>(wanted: ArrayLike<Item>): Int32Array {
  const table = new Int32Array(wanted.length)
  let matched = 0
  for (let index = 1; index < wanted.length; index += 1) {
    while (matched > 0 && wanted[index] !== wanted[matched]) matched = table[matched - 1] ?? 0
    if (wanted[index] === wanted[matched]) matched += 1
    table[index] = matched
  }
  return table
}

/** Comparisons that String.indexOf, which is far faster on ordinary texts, can do in a tenth of a second. */
const fewComparisons = 2 ** 27

/** The same for a text that is not empty, by the fastest way whose time is bounded. */
export function textPlaces(whole: string, wanted: string): Generator<number, void> {
  const isQuick = whole.length * wanted.length <= fewComparisons
  return isQuick ? quickPlaces(whole, wanted) : placesOf(whole, wanted)
}

function* quickPlaces(whole: string, wanted: string): Generator<number, void> {
  for (let at = whole.indexOf(wanted); at !== -1; at = whole.indexOf(wanted, at + 1)) yield at
}

/** Whether a text has another in it. */
export function hasText(whole: string, wanted: string): boolean {
  for (const _ of textPlaces(whole, wanted)) return true
  return false
}

/**
 * The text without any of these characters at its end. The time grows with what is dropped: an expression such as /0+$/
 * starts again at each of them, wherever they are, and takes minutes for a megabyte of zeros before a 1.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
