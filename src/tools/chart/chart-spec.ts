import type { TopLevelSpec } from "vega-lite"
import type { ChartData } from "./chart-points.ts"
import { labelFrom } from "./parse-rows.ts"
import type { ChartInput } from "./render-tool.ts"

/** The first that is installed; every renderer has the last. */
const font = "DejaVu Sans, Verdana, Arial, Helvetica, sans-serif"

/** The chart in Vega-Lite's words. Only titles and data come from the caller, and both as plain text. */
export function chartSpec(input: ChartInput, data: ChartData): TopLevelSpec {
  const { width, height, title } = input
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width,
    height,
    autosize: { type: "fit", contains: "padding" },
    padding: 8,
    background: "white",
    ...(title === undefined ? {} : { title: { text: titleOf(title) } }),
    data: { values: data.points as unknown as object[] },
    mark: markOf(input, data),
    encoding: input.type === "pie" ? pieEncoding(input, data) : axesEncoding(input, data),
    config: {
      font,
      view: { stroke: null },
      axis: { labelOverlap: true, gridColor: "#e5e5e5" },
    },
  } as TopLevelSpec
}

function markOf({ type, stacked }: ChartInput, { points, series }: ChartData): object {
  // Descriptions of single marks are made by expressions, and of thousands of points nobody listens to.
  const silent = { aria: false }
  switch (type) {
    case "line":
      return { type: "line", point: points.length <= 200, ...silent }
    case "area":
      return { type: "area", opacity: series.length > 1 && !stacked ? 0.5 : 0.8, ...silent }
    case "scatter":
      return { type: "point", filled: true, opacity: 0.7, ...silent }
    case "pie":
      return { type: "arc", stroke: "white", ...silent }
    case "bar":
    case "histogram":
      return { type: "bar", ...silent }
    default:
      return type satisfies never
  }
}

function pieEncoding(input: ChartInput, { points }: ChartData): object {
  return {
    theta: { field: "y", type: "quantitative", stack: true },
    color: {
      field: "x",
      type: "nominal",
      title: titleOf(input.x_title ?? input.x),
      scale: { domain: points.map(({ x }) => x) },
    },
    order: { field: "y", type: "quantitative", sort: "descending" },
  }
}

function axesEncoding(input: ChartInput, data: ChartData): object {
  const isGrouped = input.type === "bar" && data.series.length > 1 && !input.stacked
  return {
    x: xOf(input, data),
    y: yOf(input),
    ...(data.series.length === 0 ? {} : { color: colorOf(input, data) }),
    ...(isGrouped ? { xOffset: { field: "series", type: "nominal", sort: data.series } } : {}),
  }
}

function xOf(input: ChartInput, { xScale, points }: ChartData): object {
  const title = titleOf(input.x_title ?? input.x)
  if (input.type === "histogram") {
    return { field: "x", type: "quantitative", bin: { maxbins: 30 }, title }
  }
  const field = { field: "x", title }
  switch (xScale) {
    case "number":
      return { ...field, type: "quantitative", scale: { zero: false } }
    case "year":
      return { ...field, type: "quantitative", scale: { zero: false }, axis: { format: "d" } }
    case "time":
      return { ...field, type: "temporal", scale: { type: "utc" } }
    case "label":
      return { ...field, type: "nominal", sort: null, axis: labelAxis(points, input.width) }
    default:
      return xScale satisfies never
  }
}

const labelCharacterPixels = 9

/** Labels lie flat where there is room for all of them. */
function labelAxis(points: ChartData["points"], width: number): object {
  const labels = new Set(points.map(({ x }) => String(x)))
  const longest = Math.max(...[...labels].map(({ length }) => length + 1))
  return longest * labels.size * labelCharacterPixels < width ? { labelAngle: 0 } : {}
}

function yOf(input: ChartInput): object {
  const { type, y, stacked } = input
  if (type === "histogram") {
    const title = titleOf(input.y_title ?? "Count")
    return { aggregate: "count", type: "quantitative", title, axis: { tickMinStep: 1 } }
  }
  const name = typeof y === "string" ? y : y?.length === 1 ? y[0] : "Value"
  const stack = type === "bar" || type === "area" ? { stack: stacked ? "zero" : null } : {}
  return {
    field: "y",
    type: "quantitative",
    title: titleOf(input.y_title ?? name ?? "Value"),
    ...stack,
  }
}

function colorOf(input: ChartInput, { series }: ChartData): object {
  return {
    field: "series",
    type: "nominal",
    title: input.color === undefined ? null : titleOf(input.color),
    scale: { domain: series, ...(series.length > 10 ? { scheme: "tableau20" } : {}) },
  }
}

/** Vega looks titles up in an object, and takes "constructor" for something that it knows. */
function titleOf(title: string): string {
  const text = labelFrom(title)
  return text in Object.prototype ? `${text} ` : text
}
