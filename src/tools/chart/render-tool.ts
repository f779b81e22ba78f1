import {
  type CallContext,
  defineTool,
  type InferSchema,
  requirePath,
  type ToolFailure,
} from "../../contract/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import {
  filenameArgument,
  invalidArgument,
  namedSandbox,
  readPath,
  sandboxArgument,
} from "../arguments.ts"
import { requireFilename } from "../artifact/filename.ts"
import { copyFailed } from "../artifact/find-shared.ts"
import { artifactResult, artifactSchema, showArtifact } from "../artifact-result.ts"
import { chartLimits } from "../limits.ts"
import { missingPackages } from "../missing-packages.ts"
import { choice, flag, integer, object, text } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork, WorkKind } from "../work/session-work.ts"
import type { DrawnChart } from "./chart-worker.ts"

const chartTypes = ["line", "bar", "area", "scatter", "pie", "histogram"] as const
const { titleCharacters, pixelsLeast, pixelsMost } = chartLimits
const title = { maxLength: titleCharacters }

const inputSchema = object({
  type: {
    type: "string",
    enum: chartTypes,
    description: 'The kind of chart, such as "line". A histogram counts the values of x.',
  },
  "rows?": {
    type: "array",
    minItems: 1,
    maxItems: chartLimits.rows,
    description: 'The data, such as [{"month": "Jan", "sales": 120}]. Instead of path.',
    items: {
      type: "object",
      patternProperties: { "^": { type: ["string", "number", "boolean", "null"] } },
      additionalProperties: false,
    },
  },
  "path?": text(
    'A file of the sandbox with the data, such as "data/sales.csv": CSV or TSV with a header line, a JSON array of objects, or JSON lines. Instead of rows.',
  ),
  x: text('The column along the x axis, such as "month"; for a pie, the slices\' labels.'),
  "y?": {
    anyOf: [
      { type: "string", minLength: 1 },
      {
        type: "array",
        minItems: 1,
        maxItems: chartLimits.series,
        items: { type: "string", minLength: 1 },
      },
    ],
    description:
      'The column of numbers, such as "sales", or several, such as ["sales", "costs"]. Not for a histogram.',
  },
  "color?": text('The column that tells series apart by colour, such as "region".'),
  "title?": text('Above the chart, such as "Sales by month".', title),
  "x_title?": text('Such as "Month". Without it, the column\'s name.', title),
  "y_title?": text('Such as "Euro". Without it, the column\'s name.', title),
  stacked: flag("Bars or areas of several series on top of each other, not side by side."),
  width: integer("In pixels, such as 640.", {
    minimum: pixelsLeast,
    maximum: pixelsMost,
    default: 640,
  }),
  height: integer("In pixels, such as 400.", {
    minimum: pixelsLeast,
    maximum: pixelsMost,
    default: 400,
  }),
  format: choice(["svg", "png"], "svg can be scaled; png can be shown anywhere."),
  "filename?": filenameArgument("sales.svg"),
  "sandbox?": sandboxArgument,
})

export type ChartInput = InferSchema<typeof inputSchema>

const chartWork: WorkKind<ChartInput, DrawnChart> = {
  file: new URL("./chart-worker.ts", import.meta.url),
  memoryBytes: chartLimits.memoryBytes,
}

/** chart.render: a picture of rows of data, for the person. */
export function renderTool({ artifacts }: ToolDeps, work: SessionWork) {
  return defineTool({
    name: "chart.render",
    title: "Draw a chart",
    description:
      "Draws a line, bar, area, scatter or pie chart or a histogram from rows of data, and gives it to the person as SVG or PNG. " +
      'Example: {"type": "bar", "rows": [{"month": "Jan", "sales": 120}, {"month": "Feb", "sales": 90}], "x": "month", "y": "sales"}.',
    input: inputSchema,
    output: object({
      kind: { const: "chart" },
      type: { type: "string", enum: chartTypes },
      rows: { type: "integer", minimum: 1, description: "How many rows of data there were." },
      width: { type: "integer" },
      height: { type: "integer" },
      artifact: artifactSchema,
    }),
    groups: ["media"],
    effects: ["read", "write"],
    pathArguments: ["path"],
    paths: readPath,
    sandbox: namedSandbox,
    unavailableReason: missingPackages("chart.render", ["vega", "vega-lite", "sharp"]),
    async run(input, context) {
      const { type, width, height, format } = input
      const { signal } = context
      const filename = chosenName(input)
      const bytes = (await readTable(input, context)) ?? undefined
      const drawn = await work.ask(chartWork, input, { bytes, signal })
      const { rows, notes } = drawn.value
      for (const note of notes) context.warn(note)
      const mimeType = format === "png" ? "image/png" : "image/svg+xml"
      const artifact = await artifacts
        .keep({ filename, mimeType, content: drawn.bytes })
        .catch((error) => {
          throw copyFailed(filename, error)
        })
      return { kind: "chart", type, rows, width, height, artifact: artifactResult(artifact) }
    },
    show: ({ artifact }) => showArtifact(artifact),
  })
}

function chosenName({ filename, format }: ChartInput): string {
  if (!filename?.trim()) return `chart.${format}`
  const name = requireFilename(filename)
  return name.toLowerCase().endsWith(`.${format}`) ? name : requireFilename(`${name}.${format}`)
}

/** The file of the sandbox that a chart is drawn from; null when its rows are given. */
async function readTable(input: ChartInput, context: CallContext): Promise<Uint8Array | null> {
  const path = input.path?.trim() ? input.path : undefined
  if (input.rows !== undefined && path !== undefined) {
    throw refuse("rows", "Both rows and path are given; pass one of them.")
  }
  if (input.rows !== undefined) return null
  if (path === undefined) {
    throw refuse("rows", "No data is given: pass rows, or the path of a CSV or JSON file.")
  }
  return readFile(path, context)
}

async function readFile(asked: string, context: CallContext): Promise<Uint8Array> {
  const { signal } = context
  const workspace = await context.workspace()
  const path = requirePath(asked, workspace, "path")
  const { type, size } = await workspace.stat(path, { signal })
  if (type === "directory") throw new WorkspaceError("is-directory", asked)
  if (type === "other") throw new WorkspaceError("not-file", asked)
  const most = chartLimits.fileBytes
  if (size > most) {
    throw refuse("path", `The file has ${size} bytes; a chart reads at most ${most}. Aggregate it.`)
  }
  return workspace.readFileBuffer(path, { length: most, signal })
}

function refuse(field: "rows" | "path", message: string): ToolFailure {
  return invalidArgument(field, message)
}
