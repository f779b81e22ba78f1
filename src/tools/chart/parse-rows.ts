import { isObject, ToolFailure } from "../../contract/index.ts"
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
  throw refuse(`${JSON.stringify(path)} has a line that is no JSON object.`)
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 100) : ""
    throw refuse(
      `${JSON.stringify(path)} is no valid JSON (${reason}); it must be an array of objects, or an object a line.`,
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
  return new ToolFailure({ kind: "invalid_args", message, field: "path" })
}
