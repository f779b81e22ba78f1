import { isObject, type ToolFailure } from "../../contract/index.ts"
import { invalidArgument } from "../arguments.ts"
import { textFrom } from "../file/read/text-bytes.ts"
import { chartLimits } from "../limits.ts"
import { parseCsv } from "./parse-csv.ts"

export type Cell = string | number | boolean | null
export type Row = Readonly<Record<string, Cell>>

/** The rows of a CSV or JSON file. */
export function parseRows(path: string, bytes: Uint8Array): readonly Row[] {
  const text = textFrom(bytes)
  if (text === null) {
    throw refuse(`${JSON.stringify(path)} is not text. Pass a CSV or JSON file.`)
  }
  const rows = rowsFrom(path, text)
  if (rows.length === 0) throw refuse(`${JSON.stringify(path)} holds no rows of data.`)
  if (rows.length > chartLimits.rows) {
    const most = chartLimits.rows
    throw refuse(`The file has more than ${most} rows. Aggregate or sample them first.`)
  }
  return rows
}

function rowsFrom(path: string, text: string): readonly Row[] {
  const start = text.trimStart()[0]
  if (start === "[") return rowsFromJson(path, text)
  if (start === "{") return rowsFromLines(path, text)
  return rowsFromCsv(text)
}

function rowsFromJson(path: string, text: string): readonly Row[] {
  const value = parseJson(path, text)
  if (Array.isArray(value) && value.every(isObject)) return value.map(rowFrom)
  throw refuse(`${JSON.stringify(path)} is not a JSON array of objects.`)
}

function rowsFromLines(path: string, text: string): readonly Row[] {
  const values = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => parseJson(path, line))
  if (values.every(isObject)) return values.map(rowFrom)
  throw refuse(`${JSON.stringify(path)} has a line that is not a JSON object.`)
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 100) : ""
    throw refuse(
      `${JSON.stringify(path)} is not valid JSON (${reason}); it must be an array of objects, or an object a line.`,
    )
  }
}

/** A cell that is not a plain value is shown as its JSON. */
function rowFrom(value: Record<string, unknown>): Row {
  const cells = Object.entries(value).map(([name, cell]): [string, Cell] => {
    const isPlain = cell === null || typeof cell !== "object"
    return [name, isPlain ? (cell as Cell) : JSON.stringify(cell)]
  })
  return Object.fromEntries(cells)
}

function rowsFromCsv(text: string): readonly Row[] {
  // One more than may be drawn, so that too many are noticed, and the header.
  const [header = [], ...lines] = parseCsv(text, chartLimits.rows + 2)
  const names = header.slice(0, chartLimits.columns).map((name) => name.trim())
  return lines.map((line) =>
    Object.fromEntries(names.map((name, index): [string, Cell] => [name, cellFrom(line[index])])),
  )
}

function cellFrom(text: string | undefined): Cell {
  const bare = text?.trim() ?? ""
  return bare === "" ? null : bare
}

function refuse(message: string): ToolFailure {
  return invalidArgument("path", message)
}

/** Also of text that is a number, as all numbers of a CSV file are. */
export function numberFrom(cell: Cell): number | null {
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : null
  if (typeof cell !== "string" || !/^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(cell))
    return null
  const number = Number(cell)
  return Number.isFinite(number) ? number : null
}

/** Only what is plainly a date; "10" and "May" are labels. */
export function timeFrom(cell: Cell): number | null {
  if (typeof cell !== "string" || cell.length > 40) return null
  if (
    !/^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?$/.test(cell)
  ) {
    return null
  }
  const iso = cell.replace(" ", "T")
  const time = Date.parse(iso.length > 10 && !/(Z|[+-]\d{2}:?\d{2})$/.test(iso) ? `${iso}Z` : iso)
  return Number.isNaN(time) ? null : time
}

const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Text as XML can hold it. */
export function labelFrom(cell: Cell): string {
  return shorten(String(cell)).toWellFormed().replaceAll(unwritable, "\ufffd")
}

export function shorten(text: string): string {
  const most = chartLimits.labelCharacters
  return text.length > most ? `${text.slice(0, most)}…` : text
}
