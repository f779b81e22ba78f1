/** The same JSON value with null for every object and array that lies deeper than `most`. Changes the value. */
export function cutDepth(value: unknown, most: number): void {
  let level: object[] = isNested(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth += 1) {
    const next: object[] = []
    for (const parent of level) {
      for (const [key, child] of Object.entries(parent)) {
        if (!isNested(child)) continue
        if (depth < most) next.push(child)
        else Reflect.set(parent, key, null)
      }
    }
    level = next
  }
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
