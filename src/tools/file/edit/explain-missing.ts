import { hasText } from "../../kit/index.ts"

/** How much of one line a hint may quote. */
const quotedCharacters = 120

interface MissingSearch {
  readonly text: string
  /** The file as it was before the earlier edits of the same call. */
  readonly original: string
  readonly search: string
}

/** Why a search text matches nothing, with the nearest thing that is there. */
export function explainMissing({ text, original, search }: MissingSearch): string {
  if (hasText(original, search)) {
    return "It matches nothing any more: an earlier edit of this call has changed that text."
  }
  const lineEnds = explainLineEnds(text, search)
  if (lineEnds) return lineEnds
  const near = nearestLine(text, search)
  if (!near) return "It matches nothing in the file. Read the file again and copy the text from it."
  const quoted = JSON.stringify(near.text.slice(0, quotedCharacters))
  return near.exact
    ? `It matches nothing: its first line is line ${near.line}, ${quoted}, but what follows differs. Read from there.`
    : `It matches nothing, but line ${near.line} is the same except for white space: ${quoted}. Copy it exactly.`
}

function explainLineEnds(text: string, search: string): string | null {
  const asWindows = search.replaceAll(/\r?\n/g, "\r\n")
  if (asWindows !== search && hasText(text, asWindows)) {
    return "It matches nothing, but would with the file's line ends: the file has CRLF, so write \\r\\n where search has \\n."
  }
  const asUnix = search.replaceAll("\r\n", "\n")
  if (asUnix !== search && hasText(text, asUnix)) {
    return "It matches nothing, but would with the file's line ends: the file has LF, so write \\n where search has \\r\\n."
  }
  return null
}

interface NearLine {
  readonly line: number
  readonly text: string
  /** Whether the line is right to the letter, so that the difference lies in the lines below. */
  readonly exact: boolean
}

/** The first line of the file that equals the search's first line, white space aside. */
function nearestLine(text: string, search: string): NearLine | null {
  const wanted = search.split("\n").find((line) => line.trim() !== "")
  if (wanted === undefined) return null
  const bare = withoutSpace(wanted)
  const several = search.trim().includes("\n")
  for (const [index, line] of text.split("\n").entries()) {
    if (line.length < bare.length || withoutSpace(line) !== bare) continue
    return { line: index + 1, text: line, exact: several && line === wanted }
  }
  return null
}

function withoutSpace(line: string): string {
  return line.replaceAll(/\s+/g, "")
}
