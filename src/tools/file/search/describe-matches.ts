import { type InferSchema, object, type Workspace } from "../../../contract/index.ts"
import { searchLimits } from "../../limits.ts"
import { readBytes } from "../read/file-source.ts"
import { pathInside } from "../read/list-tool.ts"
import type { FileMatches } from "./search-results.ts"
import type { SearchScope } from "./search-scope.ts"

export const matchSchema = object({
  path: { type: "string" },
  line: { type: "integer" },
  text: { type: "string" },
  "before?": { type: "array", items: { type: "string" } },
  "after?": { type: "array", items: { type: "string" } },
})

type Match = InferSchema<typeof matchSchema>

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

/** As grep writes it: ":" for the line that matches, "-" for those around it. */
export function showMatch({ path, line, text, before = [], after = [] }: Match): readonly string[] {
  const around = (lines: readonly string[], first: number) =>
    lines.map((one, index) => `${path}-${first + index}- ${one}`)
  return [
    ...around(before, line - before.length),
    `${path}:${line}: ${text}`,
    ...around(after, line + 1),
  ]
}

/** Reads the lines around each match, for a search by grep, which leaves them out. */
export async function addContext(
  file: FileMatches,
  contextLines: number,
  place: { workspace: Workspace; scope: SearchScope; signal: AbortSignal },
): Promise<void> {
  const { workspace, scope, signal } = place
  const path = `${scope.directory}/${file.path}`
  const { size } = await workspace.stat(path, { signal })
  const bytes = await readBytes({ workspace, path, size, signal }, 0, size)
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/)
  // What follows the last line end is not a line.
  if (lines.at(-1) === "") lines.pop()
  for (const { line } of file.matches) {
    for (let at = Math.max(1, line - contextLines); at <= line + contextLines; at += 1) {
      const text = lines[at - 1]
      if (text !== undefined && !file.lines.has(at)) file.lines.set(at, text)
    }
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

/** A long line keeps the part around what matched; what is left out shows as "[...]". */
export function cutLine(line: string, matched = ""): string {
  const most = searchLimits.lineCharacters
  if (line.length <= most) return line
  const found = Math.max(0, line.indexOf(matched))
  const start = Math.min(Math.max(0, found - Math.floor(most / 4)), line.length - most)
  const end = start + most
  // A cut through a surrogate pair leaves no half of it behind.
  const part = line.slice(start, end).replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "")
  return `${start > 0 ? "[...] " : ""}${part}${end < line.length ? " [...]" : ""}`
}
