import { cutText, limits } from "../../contract/index.ts"

/** A unified diff for the model to check, or null where too much changed for one to help. */
export async function unifiedDiff(
  path: string,
  before: string,
  after: string,
): Promise<string | null> {
  // Loaded on first use: most calls need no diff.
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff")
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: limits.file.diffLines,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return patch === undefined ? null : cutText(patch, limits.file.diffBytes).text
}
