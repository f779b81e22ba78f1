import type { TopLevelSpec } from "vega-lite"
import { type CallContext, limits } from "../../contract/index.ts"
import { requireFilename } from "../artifact/filename.ts"
import { copyFailed } from "../artifact/find-shared.ts"
import { artifactResult } from "../artifact-result.ts"
import { startThread } from "../thread/start-thread.ts"
import { Thread } from "../thread/thread.ts"
import type { ToolParts } from "../tool-parts.ts"
import { type ChartData, chartData } from "./chart-points.ts"
import { chartSpec } from "./chart-spec.ts"
import { readRows } from "./read-rows.ts"
import type { ChartInput } from "./render-tool.ts"
import { toPng } from "./to-png.ts"

export type RenderChart = (input: ChartInput, context: CallContext) => Promise<unknown>

/** Charts of one session, drawn in a thread of their own that ends with it. */
export function openCharts({
  artifacts,
  onClose,
}: Pick<ToolParts, "artifacts" | "onClose">): RenderChart {
  const drawing = new Thread<TopLevelSpec, string>(startDrawing)
  onClose(() => drawing.close())

  return async (input, context) => {
    const { type, width, height, format } = input
    const filename = chosenName(input)
    const rows = await readRows(input, context)
    const data = chartData(input, rows)
    for (const note of [...data.notes, ...crowdNotes(input, data)]) context.warn(note)
    const svg = await drawing.ask(chartSpec(input, data), { signal: context.signal })
    const content = format === "png" ? await toPng(svg, context) : new TextEncoder().encode(svg)
    const mimeType = format === "png" ? "image/png" : "image/svg+xml"
    const artifact = await artifacts.keep({ filename, mimeType, content }).catch((error) => {
      throw copyFailed(filename, error)
    })
    return {
      kind: "chart",
      type,
      rows: rows.length,
      width,
      height,
      artifact: artifactResult(artifact),
    }
  }
}

function startDrawing() {
  const { memoryBytes } = limits.chart
  return startThread(new URL("./chart-worker.ts", import.meta.url), {
    name: "toolkeep-chart",
    memoryBytes,
  })
}

function chosenName({ filename, format }: ChartInput): string {
  if (!filename?.trim()) return `chart.${format}`
  const name = requireFilename(filename)
  return name.toLowerCase().endsWith(`.${format}`) ? name : requireFilename(`${name}.${format}`)
}

function crowdNotes(input: ChartInput, { points, xScale, series }: ChartData): readonly string[] {
  const most = limits.chart.readableLabels
  const notes: string[] = []
  const labels = xScale === "label" ? new Set(points.map(({ x }) => x)).size : 0
  if (labels > most) {
    const what = input.type === "pie" ? "slices" : "labels on the x axis"
    notes.push(`${labels} ${what} are too many to read. Group them, or draw the largest.`)
  }
  if (series.length > limits.chart.series) {
    notes.push(`${series.length} series are too many to tell apart. Draw the most important ones.`)
  }
  return notes
}
