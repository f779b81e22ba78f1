import { limits, ToolFailure } from "../../contract/index.ts"
import { explainMissing } from "./explain-missing.ts"

export interface Edit {
  readonly search: string
  readonly replace: string
  readonly all: boolean
}

export interface EditedText {
  readonly text: string
  readonly replacements: number
}

/** Applies each edit to what the one before it left. Throws for the first that can't be applied. */
export function applyEdits(original: string, edits: readonly Edit[]): EditedText {
  let text = original
  let replacements = 0
  for (const [index, edit] of edits.entries()) {
    const field = `edits[${index}]`
    if (edit.search === edit.replace) {
      throw invalid(`${field}.replace`, "It is the same as search, so nothing would change.")
    }
    const places = edit.all ? findAll(text, edit.search) : findOnly(text, edit, field)
    if (places.length === 0) {
      throw invalid(`${field}.search`, explainMissing({ text, original, search: edit.search }))
    }
    requireRoom(text, edit, { count: places.length, field })
    text = replaceAt(text, edit, places)
    replacements += places.length
  }
  return { text, replacements }
}

function findAll(text: string, search: string): readonly number[] {
  const places: number[] = []
  let at = text.indexOf(search)
  while (at !== -1) {
    places.push(at)
    at = text.indexOf(search, at + search.length)
  }
  return places
}

/** No place or one. Places that overlap count as two: which of them is meant is not clear. */
function findOnly(text: string, edit: Edit, field: string): readonly number[] {
  const first = text.indexOf(edit.search)
  if (first === -1) return []
  const second = text.indexOf(edit.search, first + 1)
  if (second === -1) return [first]
  const apart = findAll(text, edit.search)
  const places = apart.length > 1 ? apart : [first, second]
  throw invalid(
    `${field}.search`,
    `It matches ${places.length} places (${linesOf(text, places)}), not one. ` +
      "Add lines around it until it is unique, or set all to true.",
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
  if (text.length + growth <= limits.file.editBytes) return
  throw invalid(
    `${where.field}.replace`,
    `The file would grow past the ${limits.file.editBytes} bytes that can be edited.`,
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

function invalid(field: string, message: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `${field}: ${message}`,
    field,
    expected: field.endsWith("search")
      ? "text that is in the file exactly once, white space and line ends included"
      : "text that changes what search matches",
  })
}
