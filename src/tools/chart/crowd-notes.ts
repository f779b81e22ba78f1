import { chartLimits } from "../limits.ts"
import type { ChartData } from "./chart-points.ts"
import type { ChartInput } from "./render-tool.ts"

/** What makes a chart hard to read. */
export function crowdNotes(
  input: ChartInput,
  { points, xScale, series }: ChartData,
): readonly string[] {
  const most = chartLimits.readableLabels
  const notes: string[] = []
  const labels = xScale === "label" ? new Set(points.map(({ x }) => x)).size : 0
  if (labels > most) {
    const what = input.type === "pie" ? "slices" : "labels on the x axis"
    notes.push(`${labels} ${what} are too many to read. Group them, or draw the largest.`)
  }
  if (series.length > chartLimits.series) {
    notes.push(`${series.length} series are too many to tell apart. Draw the most important ones.`)
  }
  return notes
}
