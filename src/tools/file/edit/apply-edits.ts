import { setImmediate } from "node:timers/promises"
import type { ToolFailure } from "../../../contract/index.ts"
import { hasText, textPlaces } from "../../../kit/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"

export interface Edit {
  readonly search: string
  readonly replace: string
  readonly all: boolean
}

export interface EditedText {
  readonly text: string
  readonly replacements: number
}

/**
 * Applies each edit to what the one before it left. Throws for the first that can't be applied. Everything else this
 * process does gets its turn between two edits.
 */
export async function applyEdits(
  original: string,
  edits: readonly Edit[],
  signal?: AbortSignal,
): Promise<EditedText> {
  let text = original
  let replacements = 0
  for (const [index, edit] of edits.entries()) {
    if (index > 0) await setImmediate()
    signal?.throwIfAborted()
    const field = `edits[${index}]`
    if (edit.search === edit.replace) {
      throw invalid(
        `${field}.replace`,
        `is the same as "${field}.search", so nothing would change.`,
      )
    }
    const places = edit.all ? findAll(text, edit.search) : findOnly(text, edit, field)
    if (places.length === 0) {
      throw invalid(`${field}.search`, explainMissing({ text, original, search: edit.search }))
    }
    replacements += places.length
    if (replacements > fileLimits.replacements) throw tooMany(field)
    requireRoom(text, edit, { count: places.length, field })
    text = replaceAt(text, edit, places)
  }
  return { text, replacements }
}

/** Those that do not overlap, and no more than one beyond what may be replaced. */
function findAll(text: string, search: string): readonly number[] {
  const places: number[] = []
  let free = 0
  for (const place of textPlaces(text, search)) {
    if (place < free) continue
    places.push(place)
    free = place + search.length
    if (places.length > fileLimits.replacements) break
  }
  return places
}

/** No place or one. Places that overlap count as two: which of them is meant is not clear. */
function findOnly(text: string, edit: Edit, field: string): readonly number[] {
  const [first, second] = textPlaces(text, edit.search).take(2)
  if (first === undefined) return []
  if (second === undefined) return [first]
  const apart = findAll(text, edit.search)
  const places = apart.length > 1 ? apart : [first, second]
  throw invalid(
    `${field}.search`,
    `matches ${places.length} places (${linesOf(text, places)}), not one. ` +
      `Add lines around it until it is unique; or set "${field}.all" to true.`,
  )
}

/** By hand, since String.replace would read "$&" in the new text as a command. */
function replaceAt(text: string, edit: Edit, places: readonly number[]): string {
  const parts: string[] = []
  let from = 0
  for (const place of places) {
    parts.push(text.slice(from, place))
    from = place + edit.search.length
  }
  parts.push(text.slice(from))
  return parts.join(edit.replace)
}

function requireRoom(
  text: string,
  edit: Edit,
  where: { readonly count: number; readonly field: string },
): void {
  const growth = where.count * (edit.replace.length - edit.search.length)
  if (text.length + growth <= fileLimits.editBytes) return
  throw invalid(
    `${where.field}.replace`,
    `would make the file larger than the ${fileLimits.editBytes} bytes that can be edited.`,
  )
}

function tooMany(field: string): ToolFailure {
  return invalid(
    `${field}.search`,
    `matches more than the ${fileLimits.replacements} places that one call can replace. Use a command such as sed.`,
  )
}

const linesNamed = 10

function linesOf(text: string, places: readonly number[]): string {
  const numbers: number[] = []
  let line = 1
  let from = 0
  for (const place of places.slice(0, linesNamed)) {
    for (let at = text.indexOf("\n", from); at !== -1 && at < place; ) {
      line += 1
      from = at + 1
      at = text.indexOf("\n", from)
    }
    if (numbers.at(-1) !== line) numbers.push(line)
  }
  const more = places.length > linesNamed ? ", ..." : ""
  return `line${numbers.length > 1 ? "s" : ""} ${numbers.join(", ")}${more}`
}

/** Arguments are quoted, so that a dialect can put its own names in their place. */
function invalid(field: string, problem: string): ToolFailure {
  return invalidArgument(
    field,
    `"${field}" ${problem}`,
    field.endsWith("search")
      ? "text that is in the file exactly once, white space and line ends included"
      : "text other than the one that it replaces",
  )
}

/** How much of one line a hint may quote. */
const quotedCharacters = 120

interface MissingSearch {
  readonly text: string
  /** The file as it was before the earlier edits of the same call. */
  readonly original: string
  readonly search: string
}

/** Why a search text matches nothing, with the nearest thing that is there. */
function explainMissing({ text, original, search }: MissingSearch): string {
  if (hasText(original, search)) {
    return "no longer matches: an earlier edit of this call has changed that text."
  }
  const lineEnds = explainLineEnds(text, search)
  if (lineEnds) return lineEnds
  const near = nearestLine(text, search)
  if (!near) return "matches nothing in the file. Read the file again and copy the text from it."
  const quoted = JSON.stringify(near.text.slice(0, quotedCharacters))
  return near.exact
    ? `matches nothing: its first line is line ${near.line}, ${quoted}, but what follows differs. Read from there.`
    : `matches nothing, but line ${near.line} is the same except for white space: ${quoted}. Copy it exactly.`
}

function explainLineEnds(text: string, search: string): string | null {
  const asWindows = search.replaceAll(/\r?\n/g, "\r\n")
  if (asWindows !== search && hasText(text, asWindows)) {
    return "matches nothing, but would with the file's line ends: the file has CRLF, so write \\r\\n in place of \\n."
  }
  const asUnix = search.replaceAll("\r\n", "\n")
  if (asUnix !== search && hasText(text, asUnix)) {
    return "matches nothing, but would with the file's line ends: the file has LF, so write \\n in place of \\r\\n."
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
