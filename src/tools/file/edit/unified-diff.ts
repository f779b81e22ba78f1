import { cutText, limits } from "../../../contract/index.ts"

/** A unified diff for the model to check, or null where one would not help or takes too long to make. */
export async function unifiedDiff(
  path: string,
  before: string,
  after: string,
): Promise<string | null> {
  if (hasManyLines(before) || hasManyLines(after)) return null
  // Loaded on first use: most calls need no diff.
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff")
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: limits.file.diffLines,
    // Lines that are all the same take long to compare, however few have changed.
    timeout: limits.file.diffMs,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return patch === undefined ? null : cutText(patch, limits.file.diffBytes).text
}

function hasManyLines(text: string): boolean {
  let lines = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lines += 1
    if (lines > limits.file.diffFileLines) return true
  }
  return false
}
