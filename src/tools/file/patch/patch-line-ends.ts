import type { Hunk, HunkLine } from "./file-patch.ts"

/**
 * A file keeps its line ends: where one side has CRLF throughout and the other has none, the patch was
 * written with the other ends, and is read with the file's.
 */
export function withLineEndsOf(text: string, hunks: readonly Hunk[]): readonly Hunk[] {
  const ends = hunks.flatMap((hunk) => hunk.lines).filter((line) => line.text.endsWith("\n"))
  if (ends.length === 0) return hunks
  const wide = ends.filter((line) => line.text.endsWith("\r\n")).length
  const fileIsWide = /\r\n/.test(text) && !/(?<!\r)\n/.test(text)
  if (fileIsWide && wide === 0) return mapLines(hunks, (line) => line.replace(/\n$/, "\r\n"))
  if (wide === ends.length && text !== "" && !text.includes("\r\n")) {
    return mapLines(hunks, (line) => line.replace(/\r\n$/, "\n"))
  }
  return hunks
}

function mapLines(hunks: readonly Hunk[], change: (text: string) => string): readonly Hunk[] {
  const changed = (line: HunkLine): HunkLine => ({ ...line, text: change(line.text) })
  return hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(changed) }))
}
