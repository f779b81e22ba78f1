import { isPlainObject, limits } from "../contract/index.ts"
import { groupDigits, markUnseen } from "../kit/index.ts"

const { lineCharacters, spaces, sameLines } = limits.question

/** A value that is none of JSON's, so that nobody can be shown it. */
export class Unshowable extends Error {}

/**
 * A JSON value as lines that can be read as one thing only: texts are in quotes, their lines are numbered, nothing in
 * them is unseen, and neither empty lines nor spaces push anything out of sight. Of each text, list and object, `parts`
 * are shown, and the rest is said in numbers.
 */
export function describeValue(value: unknown, parts = Number.POSITIVE_INFINITY): string[] {
  return linesOf("", value, parts)
}

function linesOf(label: string, value: unknown, parts: number): string[] {
  if (typeof value === "string") return textLines(label, value, parts)
  if (Array.isArray(value)) {
    const count = counted(value.length, "item")
    // A place that holds nothing is an item too.
    const items: unknown[] = Array.from(value.slice(0, parts))
    return groupLines(`${label}list of ${count}`, items, {
      left: value.length - parts,
      show: (one, index) => linesOf(`${index}: `, one, parts),
    })
  }
  if (isPlainObject(value)) {
    const entries = Object.entries(value).filter(([, one]) => one !== undefined)
    const count = counted(entries.length, "entry", "entries")
    return groupLines(`${label}object of ${count}`, entries.slice(0, parts), {
      left: entries.length - parts,
      show: ([name, one]) => entryLines(name, one, parts),
    })
  }
  return [`${label}${plain(value)}`]
}

interface Group<Item> {
  /** How many are not shown. */
  readonly left: number
  readonly show: (item: Item, index: number) => string[]
}

function groupLines<Item>(
  head: string,
  items: readonly Item[],
  { left, show }: Group<Item>,
): string[] {
  const lines = items.flatMap(show).map((line) => `  ${line}`)
  const rest = left > 0 ? [`  (${groupDigits(left)} more, not shown here)`] : []
  return [head, ...lines, ...rest]
}

function entryLines(name: string, value: unknown, parts: number): string[] {
  const label = quoted(name)
  if (label.length <= lineCharacters) return linesOf(`${label}: `, value, parts)
  return [...textLines("name: ", name, parts), ...linesOf("its value: ", value, parts)]
}

function plain(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value)
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value)
  const what = typeof value === "object" ? (value?.constructor?.name ?? "object") : typeof value
  throw new Unshowable(markUnseen(what))
}

function textLines(label: string, text: string, parts: number): string[] {
  const lines = text.split(/(?<=\n)/)
  const [only = ""] = lines.length > 1 ? [] : broken(quoted(text))
  const order = rightToLeft.test(text) ? ", some written from right to left" : ""
  const isShort = lines.length === 1 && only.length === quoted(text).length && order === ""
  if (isShort && label.length + only.length <= lineCharacters) return [`${label}${only}`]
  const size = `${counted(lines.length, "line")}, ${counted(text.length, "character")}`
  const shown = numbered(lines)
  const left = shown.length - 2 * parts
  const head = `${label}text of ${size}${order}`
  if (left <= 0) return [head, ...shown]
  const middle = `  (${counted(left, "line")} of this text, not shown here)`
  return [head, ...shown.slice(0, parts), middle, ...shown.slice(shown.length - parts)]
}

/** Each line with its number; one that comes again and again stands once, with the numbers it has. */
function numbered(lines: readonly string[]): string[] {
  const shown: string[] = []
  for (let first = 0; first < lines.length; ) {
    const line = lines[first] ?? ""
    let next = first + 1
    while (lines[next] === line) next += 1
    const isOften = next - first > sameLines
    const number = isOften ? `${first + 1} to ${next}, each` : String(first + 1)
    const [start = "", ...rest] = broken(quoted(line).slice(1, -1))
    shown.push(`  ${number} "${start}"`)
    for (const piece of rest) shown.push(`    "${piece}"`)
    first = isOften ? next : first + 1
  }
  return shown
}

/** Pieces of a line, none of which ends inside a mark, an escape or a character. */
function broken(line: string): string[] {
  if (line.length <= lineCharacters) return [line]
  const pieces: string[] = []
  let piece = ""
  for (const [token] of line.matchAll(/<(?:U\+[0-9A-F]+|\d+ spaces)>|\\.|[^\\<]{1,12}|</gsu)) {
    if (piece.length + token.length > lineCharacters) {
      pieces.push(piece)
      piece = ""
    }
    piece += token
  }
  return [...pieces, piece]
}

const manySpaces = new RegExp(` {${spaces + 1},}`, "g")

/** A text in quotes, as JSON has it, with marks for what can't be seen. */
export function quoted(text: string): string {
  const escaped = text
    .replaceAll(/[\\"]/g, "\\$&")
    .split(/([\n\t])/)
    .map((part) => (part === "\n" ? "\\n" : part === "\t" ? "\\t" : markUnseen(part)))
    .join("")
  return `"${escaped.replaceAll(manySpaces, (found) => `<${found.length} spaces>`)}"`
}

/** Letters that are written from right to left move what stands between them. */
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`
}
