import type { Workspace } from "../../../contract/index.ts"
import { pathInside } from "../read/path-inside.ts"
import { cutLine } from "./cut-line.ts"
import { readLines } from "./read-lines.ts"
import type { FileMatches } from "./search-results.ts"
import type { SearchScope } from "./search-scope.ts"

export interface Match {
  /** Ready to be the next call's argument. */
  readonly path: string
  readonly line: number
  readonly text: string
  readonly before?: readonly string[]
  readonly after?: readonly string[]
}

export function describeMatches(
  file: FileMatches,
  scope: SearchScope,
  contextLines: number,
): readonly Match[] {
  const path = scope.file === null ? pathInside(scope.base, file.path) : scope.base
  return file.matches.map(({ line, text, matched }) => ({
    path,
    line,
    text: cutLine(text, matched),
    ...(contextLines === 0
      ? {}
      : {
          before: linesBetween(file, line - contextLines, line - 1),
          after: linesBetween(file, line + 1, line + contextLines),
        }),
  }))
}

/** Reads the lines around each match, for a ripgrep whose JSON leaves them out. */
export async function addContext(
  file: FileMatches,
  contextLines: number,
  place: { workspace: Workspace; scope: SearchScope; signal: AbortSignal },
): Promise<void> {
  const { workspace, scope, signal } = place
  const wanted = new Set<number>()
  for (const { line } of file.matches) {
    for (let at = line - contextLines; at <= line + contextLines; at += 1) wanted.add(at)
  }
  const path = `${scope.directory}/${file.path}`
  const { size } = await workspace.stat(path, { signal })
  const lines = await readLines({ workspace, path, size, signal }, wanted)
  for (const [line, text] of lines) {
    if (!file.lines.has(line)) file.lines.set(line, text)
  }
}

function linesBetween(file: FileMatches, from: number, to: number): readonly string[] {
  const lines: string[] = []
  for (let line = from; line <= to; line += 1) {
    const text = file.lines.get(line)
    if (text !== undefined) lines.push(cutLine(text))
  }
  return lines
}
