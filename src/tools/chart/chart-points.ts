import type { ToolFailure } from "../../contract/index.ts"
import { nearest } from "../../kit/index.ts"
import { invalidArgument } from "../arguments.ts"
import { chartLimits } from "../limits.ts"
import type { Cell, Row } from "./parse-rows.ts"
import { labelFrom, numberFrom, shorten, timeFrom } from "./parse-rows.ts"
import type { ChartInput } from "./render-tool.ts"

/**
 * What is drawn. Columns have fixed names here, so that nothing in a caller's names or values is
 * ever read as a path or an expression.
 */
export interface Point {
  readonly x: number | string
  /** Null for a gap in a line; absent in a histogram. */
  readonly y?: number | null
  readonly series?: string
}

export interface ChartData {
  readonly points: readonly Point[]
  readonly xScale: "number" | "year" | "time" | "label"
  /** In the order they first come; empty for one series without a name. */
  readonly series: readonly string[]
  /** What the caller should know about what was left out or joined. */
  readonly notes: readonly string[]
}

/** Checks that the columns are there and hold what the chart needs, and takes them out of the rows. */
export function chartData(input: ChartInput, rows: readonly Row[]): ChartData {
  const values = valueColumns(input)
  const columns = columnsOf(rows)
  requireColumn("x", input.x, columns)
  for (const name of values) requireColumn("y", name, columns)
  if (input.color !== undefined) requireColumn("color", input.color, columns)
  requireFewPoints(rows.length * values.length)
  const xScale = scaleOf(input, rows)
  const found: Point[] = []
  let skipped = 0
  for (const [index, row] of rows.entries()) {
    const points = pointsOf(row, { input, values, xScale, index })
    if (points.length === 0) skipped += 1
    found.push(...points)
  }
  const notes = skipped > 0 ? [`${skipped} rows without a value were left out.`] : []
  const { points, joined } =
    input.type === "bar" || input.type === "pie" ? addUp(found) : { points: found, joined: 0 }
  if (joined > 0) notes.push(`Values of rows with the same ${input.x} were added up.`)
  requireSomething(input, points)
  const names = points.flatMap(({ series }) => (series === undefined ? [] : [series]))
  return { points, xScale, series: [...new Set(names)], notes }
}

function valueColumns(input: ChartInput): readonly string[] {
  const { type, y } = input
  if (type === "histogram") {
    if (y === undefined) return []
    throw refuse("y", "A histogram counts the values of x and has no y. Leave y out.")
  }
  const columns = typeof y === "string" ? [y] : (y ?? [])
  if (columns.length === 0) throw refuse("y", `A ${type} chart needs y, the column of its numbers.`)
  if (columns.length === 1) return columns
  if (type === "pie") throw refuse("y", "A pie shows one column. Pass one name as y.")
  if (input.color === undefined) return [...new Set(columns)]
  throw refuse("color", "Several columns as y are told apart by colour already. Leave color out.")
}

function columnsOf(rows: readonly Row[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const row of rows) for (const name of Object.keys(row)) names.add(name)
  return names
}

function requireColumn(field: "x" | "y" | "color", name: string, known: ReadonlySet<string>): void {
  if (known.has(name)) return
  const close = nearest(name, known)
  const listed = [...known].slice(0, 20).map((one) => JSON.stringify(shorten(one)))
  throw refuse(
    field,
    `There is no column ${JSON.stringify(shorten(name))}${close === null ? "" : `; did you mean ${JSON.stringify(shorten(close))}?`} ` +
      `The columns are ${listed.join(", ")}${known.size > listed.length ? ", ..." : ""}.`,
  )
}

function scaleOf({ type, x }: ChartInput, rows: readonly Row[]): ChartData["xScale"] {
  if (type === "pie") return "label"
  const cells = rows.map((row) => ownCell(row, x)).filter((cell) => cell !== null)
  const numbers = cells.map(numberFrom)
  if (numbers.every((number) => number !== null) && cells.length > 0) {
    if (type === "bar") return "label"
    return numbers.every((one) => Number.isInteger(one) && one >= 1000 && one < 3000) &&
      type !== "histogram"
      ? "year"
      : "number"
  }
  if (type === "histogram") {
    throw refuse(
      "x",
      `A histogram counts numbers, but ${JSON.stringify(shorten(x))} has values that are not numbers.`,
    )
  }
  if (type !== "bar" && cells.every((cell) => timeFrom(cell) !== null)) return "time"
  return "label"
}

interface RowReading {
  readonly input: ChartInput
  readonly values: readonly string[]
  readonly xScale: ChartData["xScale"]
  readonly index: number
}

function pointsOf(row: Row, { input, values, xScale, index }: RowReading): readonly Point[] {
  const x = positionFrom(ownCell(row, input.x), xScale)
  if (x === null) return []
  const series =
    input.color === undefined ? {} : { series: labelFrom(ownCell(row, input.color) ?? "(none)") }
  if (input.type === "histogram") return [{ x, ...series }]
  return values.flatMap((name): Point[] => {
    const cell = ownCell(row, name)
    const y = cell === null ? null : numberFrom(cell)
    if (cell !== null && y === null) {
      throw refuse(
        "y",
        `y needs numbers, but ${JSON.stringify(shorten(name))} is not a number in row ${index + 1}. Pass a column of numbers.`,
      )
    }
    if (input.type === "pie" && y !== null && y < 0) {
      throw refuse("y", `A pie can't have negative slices; row ${index + 1} has a negative value.`)
    }
    if (y === null && input.type !== "line") return []
    return [{ x, y, ...(values.length > 1 ? { series: labelFrom(name) } : series) }]
  })
}

function positionFrom(cell: Cell, xScale: ChartData["xScale"]): number | string | null {
  if (cell === null) return null
  switch (xScale) {
    case "number":
    case "year":
      return numberFrom(cell)
    case "time":
      return timeFrom(cell)
    case "label":
      return labelFrom(cell)
    default:
      return xScale satisfies never
  }
}

function ownCell(row: Row, name: string): Cell {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null
}

/** One bar or slice for each label: several on the same place would hide each other. */
function addUp(points: readonly Point[]) {
  const sums = new Map<string, Point>()
  for (const point of points) {
    const key = JSON.stringify([point.x, point.series ?? null])
    const before = sums.get(key)
    sums.set(key, before ? { ...point, y: (before.y ?? 0) + (point.y ?? 0) } : point)
  }
  return { points: [...sums.values()], joined: points.length - sums.size }
}

function requireFewPoints(count: number): void {
  const most = chartLimits.points
  if (count <= most) return
  throw refuse("y", `These are ${count} points; a chart has at most ${most}. Draw fewer columns.`)
}

function requireSomething(input: ChartInput, points: readonly Point[]): void {
  const isDrawn = points.some(({ y }) => input.type === "histogram" || typeof y === "number")
  const isEmptyPie = input.type === "pie" && points.every(({ y }) => y === 0)
  if (isDrawn && !isEmptyPie) return
  throw refuse(
    input.type === "histogram" ? "x" : "y",
    isEmptyPie ? "All values are 0, so the pie has no slices." : "No row has a value to draw.",
  )
}

function refuse(field: "x" | "y" | "color", message: string): ToolFailure {
  return invalidArgument(field, message, "a column of the rows")
}
