import * as vega from "vega"
import { compile, type TopLevelSpec } from "vega-lite"
import { answerRequests, type WorkAnswer } from "../work/answer-requests.ts"
import { chartData } from "./chart-points.ts"
import { chartSpec } from "./chart-spec.ts"
import { crowdNotes } from "./crowd-notes.ts"
import { parseRows } from "./parse-rows.ts"
import type { ChartInput } from "./render-tool.ts"
import { toPng } from "./to-png.ts"

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
