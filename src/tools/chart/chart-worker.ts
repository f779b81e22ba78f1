import * as vega from "vega"
import { compile, type TopLevelSpec } from "vega-lite"
import { chartLimits } from "../limits.ts"
import { answerRequests, type WorkAnswer } from "../work/answer-requests.ts"
import { type ChartData, chartData } from "./chart-points.ts"
import { chartSpec } from "./chart-spec.ts"
import { parseRows } from "./parse-rows.ts"
import type { ChartInput } from "./render-tool.ts"

export interface DrawnChart {
  readonly rows: number
  /** What the caller should know. */
  readonly notes: readonly string[]
}

const refuse = () => Promise.reject(new Error("a chart loads nothing"))
/** Vega asks it for data, images and links; a chart here has none. */
const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse, options: {} }

async function draw(spec: TopLevelSpec): Promise<string> {
  const quiet = vega.logger(vega.None)
  const compiled = compile(spec, { logger: quiet as never })
  const view = new vega.View(vega.parse(compiled.spec), {
    renderer: "none",
    loader: loader as never,
    logger: quiet,
  })
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}

/** What makes a chart hard to read. */
function crowdNotes(input: ChartInput, { points, xScale, series }: ChartData): readonly string[] {
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

type Sharp = typeof import("sharp")["default"]

/** The same picture in pixels. */
async function toPng(svg: string): Promise<{
  readonly bytes: Uint8Array
  readonly notes: readonly string[]
}> {
  const { default: sharp } = await import("sharp")
  const notes = (await canWrite(sharp)) ? [] : [withoutFonts]
  const limitInputPixels = chartLimits.pixelsMost ** 2
  const picture = sharp(Buffer.from(svg), { limitInputPixels, unlimited: true })
  return { bytes: await picture.png().toBuffer(), notes }
}

const withoutFonts =
  "This machine has no fonts, so the PNG has no text. Install some, such as Debian's fonts-dejavu-core, or use svg."

const probe =
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">' +
  '<text x="2" y="16" font-size="16" font-family="sans-serif">H</text></svg>'

/** Without a font, text is left out and nothing says so. */
async function canWrite(sharp: Sharp): Promise<boolean> {
  const { channels } = await sharp(Buffer.from(probe)).ensureAlpha().stats()
  return (channels[3]?.max ?? 0) > 0
}

answerRequests(async (input: ChartInput, file): Promise<WorkAnswer<DrawnChart>> => {
  const rows = input.rows ?? parseRows(input.path ?? "", file)
  const data = chartData(input, rows)
  const svg = await draw(chartSpec(input, data))
  const notes = [...data.notes, ...crowdNotes(input, data)]
  if (input.format === "svg") {
    return { value: { rows: rows.length, notes }, bytes: new TextEncoder().encode(svg) }
  }
  const png = await toPng(svg)
  return { value: { rows: rows.length, notes: [...notes, ...png.notes] }, bytes: png.bytes }
})
