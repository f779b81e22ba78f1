import { fileLimits } from "./limits.ts"

const encoder = new TextEncoder()

/** The items from the front whose JSON fits into a result. */
export function takeFitting<Item>(
  items: readonly Item[],
  maxBytes: number = fileLimits.listingBytes,
): readonly Item[] {
  let left = maxBytes
  const tooMany = items.findIndex((item) => {
    left -= encoder.encode(JSON.stringify(item)).length + 1
    return left < 0
  })
  return tooMany === -1 ? items : items.slice(0, tooMany)
}
