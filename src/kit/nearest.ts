/** The candidate that `word` was most likely meant to be, or null when none is close. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = fold(word)
  let best: string | null = null
  // One of two letters may differ, one of one may not: that would be another word.
  let bestDistance = Math.min(wanted.length, Math.max(1, Math.floor(wanted.length / 3)) + 1)
  for (const candidate of candidates) {
    const folded = fold(candidate)
    if (Math.abs(folded.length - wanted.length) >= bestDistance) continue
    const distance = editDistance(wanted, folded)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** The end of a message about an unknown name: the name that was probably meant, or which ones there are. */
export function suggest(
  word: string,
  known: readonly string[],
  otherwise = `there are ${known.join(", ")}.`,
): string {
  const close = nearest(word, known)
  return close === null ? otherwise : `did you mean ${JSON.stringify(close)}?`
}

/** filePath, file_path and file-path are one word; hostile lengths are cut. */
function fold(word: string): string {
  return word.slice(0, 64).toLowerCase().replaceAll(/[_-]/g, "")
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(
        at(previous, j) + 1,
        at(current, j - 1) + 1,
        at(previous, j - 1) + (same ? 0 : 1),
      )
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) cost = Math.min(cost, at(beforePrevious, j - 2) + 1)
      current.push(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
