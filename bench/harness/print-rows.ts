import { type BenchRow, reaches } from "./bench-row.ts"

/** The rows as JSON: an array of {id, what, value, bar, aim, pass}. */
export function rowsAsJson(rows: readonly BenchRow[]): string {
  const shown = rows.map((row) => {
    const { id, what, value, bar, aim } = row
    return { id, what, value, bar, aim, pass: reaches(row, "bar") }
  })
  return JSON.stringify(shown, null, 2)
}

/** The rows as a table for people. */
export function rowsAsTable(rows: readonly BenchRow[]): string {
  const header = ["", "value", "bar", "aim", "id", "what"]
  const cells = rows.map((row) => {
    const sign = row.better === "lower" ? "≤" : "≥"
    const [value, bar, aim] = [row.value, row.bar, row.aim].map(shortNumber)
    return [verdict(row), value ?? "", `${sign} ${bar}`, `${sign} ${aim}`, row.id, row.what]
  })
  return table([header, ...cells])
}

function verdict(row: BenchRow): string {
  if (!reaches(row, "bar")) return "FAILED"
  return reaches(row, "aim") ? "aim" : "bar"
}

function shortNumber(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(3)))
}

function table(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .join("\n")
}
