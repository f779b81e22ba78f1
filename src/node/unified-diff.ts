/** How much is compared before it is given up. */
export interface DiffBounds {
  /** Of one of the two texts. */
  readonly lines: number
  readonly changedLines: number
  readonly milliseconds: number
}

interface Compared {
  readonly path: string
  readonly before: string
  readonly after: string
}

/** A unified diff with three lines around each change; null where it takes too long to make. */
export async function unifiedDiff(
  { path, before, after }: Compared,
  { lines, changedLines, milliseconds }: DiffBounds,
): Promise<string | null> {
  if (hasMoreLines(before, lines) || hasMoreLines(after, lines)) return null
  // Loaded on first use: most calls need no diff.
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff")
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: changedLines,
    // Lines that are all the same take long to compare, however few have changed.
    timeout: milliseconds,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return patch ?? null
}

function hasMoreLines(text: string, most: number): boolean {
  let lines = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lines += 1
    if (lines > most) return true
  }
  return false
}
