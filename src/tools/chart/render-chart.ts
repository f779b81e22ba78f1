import type { CallContext } from "../../contract/index.ts"
import { requireFilename } from "../artifact/filename.ts"
import { copyFailed } from "../artifact/find-shared.ts"
import { artifactResult } from "../artifact-result.ts"
import { chartLimits } from "../limits.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"
import { Work } from "../work/work.ts"
import type { DrawnChart } from "./chart-worker.ts"
import { readTable } from "./read-table.ts"
import type { ChartInput, ChartResult } from "./render-tool.ts"

export type RenderChart = (input: ChartInput, context: CallContext) => Promise<ChartResult>

/** Charts of one session, drawn in a process of its own. */
export function openCharts(
  { artifacts }: Pick<ToolDeps, "artifacts">,
  work: SessionWork,
): RenderChart {
  const kind = {
    file: new URL("./chart-worker.ts", import.meta.url),
    memoryBytes: chartLimits.memoryBytes,
  }
  const drawing = new Work<ChartInput, DrawnChart>(kind, work)

  return async (input, context) => {
    const { type, width, height, format } = input
    const { signal } = context
    const filename = chosenName(input)
    const bytes = (await readTable(input, context)) ?? undefined
    const { value: drawn, bytes: content } = await drawing.ask(input, { bytes, signal })
    for (const note of drawn.notes) context.warn(note)
    const mimeType = format === "png" ? "image/png" : "image/svg+xml"
    const artifact = await artifacts.keep({ filename, mimeType, content }).catch((error) => {
      throw copyFailed(filename, error)
    })
    return {
      kind: "chart" as const,
      type,
      rows: drawn.rows,
      width,
      height,
      artifact: artifactResult(artifact),
    }
  }
}

function chosenName({ filename, format }: ChartInput): string {
  if (!filename?.trim()) return `chart.${format}`
  const name = requireFilename(filename)
  return name.toLowerCase().endsWith(`.${format}`) ? name : requireFilename(`${name}.${format}`)
}
