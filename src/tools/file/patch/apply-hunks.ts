import { placesOf } from "../../../kit/index.ts"
import { fileLimits } from "../../limits.ts"
import { type Hunk, type HunkLine, PatchFault } from "./patch-names.ts"

export interface PatchedText {
  readonly text: string
  readonly added: number
  readonly removed: number
  /** Hunks that matched, but not on the line they name: by how many lines. */
  readonly moved: readonly { readonly hunk: number; readonly lines: number }[]
}

/**
 * Applies hunks to a text. What they show as there before must be there to the letter; only where it is
 * may differ by some lines. Throws a PatchFault that names the first line that does not match.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): PatchedText {
  const lines = splitLines(text)
  const parts: string[] = []
  const moved: { hunk: number; lines: number }[] = []
  let [added, removed, done, drift] = [0, 0, 0, 0]
  for (const [index, hunk] of hunks.entries()) {
    const before = hunk.lines.filter(({ sign }) => sign !== "+").map((line) => line.text)
    const expected = hunk.start - 1 + drift
    const place = findHunk(lines, before, { expected, from: done })
    if (place === null) throw noMatch(lines, { hunk, index, before, expected, done })
    drift = place - (hunk.start - 1)
    if (place !== expected && drift !== 0) moved.push({ hunk: index + 1, lines: drift })
    for (; done < place; done += 1) parts.push(lines[done] ?? "")
    const after = hunk.lines.filter(({ sign }) => sign !== "-")
    for (const line of after) parts.push(line.text)
    done = place + before.length
    added += count(hunk.lines, "+")
    removed += count(hunk.lines, "-")
  }
  for (; done < lines.length; done += 1) parts.push(lines[done] ?? "")
  requireLineEnds(parts)
  return { text: parts.join(""), added, removed, moved }
}

/** Every line with its end; the last may have none. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function count(lines: readonly HunkLine[], sign: HunkLine["sign"]): number {
  return lines.filter((line) => line.sign === sign).length
}

/** The nearest place at which all of these lines stand, never before what is done. */
function findHunk(
  lines: readonly string[],
  before: readonly string[],
  { expected, from }: { readonly expected: number; readonly from: number },
): number | null {
  // Without a line to go by, only the place that is named can be meant.
  if (before.length === 0) return expected >= from && expected <= lines.length ? expected : null
  const first = Math.max(from, expected - fileLimits.patchOffsetLines)
  const last = Math.max(first, expected + fileLimits.patchOffsetLines + before.length)
  const window = lines.slice(first, last)
  let best: number | null = null
  for (const at of placesOf(window, before)) {
    const place = first + at
    // Of two that are as near, the later one.
    if (best === null || Math.abs(place - expected) <= Math.abs(best - expected)) best = place
    if (place >= expected) break
  }
  return best
}

interface Mismatch {
  readonly hunk: Hunk
  readonly index: number
  readonly before: readonly string[]
  readonly expected: number
  readonly done: number
}

function noMatch(lines: readonly string[], mismatch: Mismatch): PatchFault {
  const { hunk, index, before, expected, done } = mismatch
  const name = `hunk ${index + 1}, ${hunk.header},`
  if (expected < done) {
    return new PatchFault(`${name} starts before the end of the hunk above it.`)
  }
  const wrong = before.findIndex((line, at) => lines[expected + at] !== line)
  const [wanted = "", found] = [before[wrong], lines[expected + wrong]]
  const line = expected + wrong + 1
  if (found === undefined || wrong === -1) {
    return new PatchFault(`${name} goes on after the end: the file has ${lines.length} lines.`)
  }
  if (wanted.replace(/\r?\n$/, "") === found.replace(/\r?\n$/, "")) {
    return new PatchFault(
      `${name} has line ${line} with ${endOf(wanted)}, but the file has it with ${endOf(found)}.`,
    )
  }
  return new PatchFault(
    `${name} does not match at line ${line}: the file has ${quote(found)}, the patch ${quote(wanted)}. Read the file again.`,
  )
}

const quotedCharacters = 120

function quote(line: string): string {
  return JSON.stringify(line.replace(/\r?\n$/, "").slice(0, quotedCharacters))
}

function endOf(line: string): string {
  if (line.endsWith("\r\n")) return "the line end CRLF"
  return line.endsWith("\n")
    ? "the line end LF"
    : 'no line end (a line "\\ No newline at end of file" after it says so)'
}

/** A line that lost its end to a marker can only be the last. */
function requireLineEnds(parts: readonly string[]): void {
  const open = parts.findIndex((part, at) => at < parts.length - 1 && !part.endsWith("\n"))
  if (open === -1) return
  throw new PatchFault(
    `Line ${open + 1} would have no line end, but is not the last: "\\ No newline at end of file" stands at the wrong place.`,
  )
}

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
