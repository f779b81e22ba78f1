import { type Clock, systemClock } from "../kit/index.ts"

/** A token bucket: says whether there is room for one more. */
export function rateLimit(
  rate: { readonly everySecond: number; readonly atOnce: number },
  clock: Clock = systemClock,
): () => boolean {
  let left = rate.atOnce
  let since = clock.now()
  return () => {
    const now = clock.now()
    left = Math.min(rate.atOnce, left + ((now - since) / 1000) * rate.everySecond)
    since = now
    if (left < 1) return false
    left -= 1
    return true
  }
}
