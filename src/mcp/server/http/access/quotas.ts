/**
 * A limited number of places that tokens share. Each token's fair share is reserved for it; the remainder of the
 * division goes to the first that asks.
 */
export function fairPlaces(most: number, tokens: readonly string[]) {
  const share = Math.floor(most / Math.max(1, tokens.length))
  const taken = new Map(tokens.map((token) => [token, 0]))
  const takenBy = (token: string) => taken.get(token) ?? 0

  /** Places that are taken, or that this token must leave to the others. */
  function unavailableTo(token: string): number {
    let count = takenBy(token)
    for (const [other, places] of taken) if (other !== token) count += Math.max(places, share)
    return count
  }

  return {
    /** Takes a place for this token, or this many; false when there are not as many for it. */
    take(token: string, count = 1): boolean {
      if (unavailableTo(token) + count > most) return false
      taken.set(token, takenBy(token) + count)
      return true
    },
    free(token: string, count = 1): void {
      taken.set(token, Math.max(0, takenBy(token) - count))
    },
  }
}
