import {
  type CallContext,
  choice,
  defineTool,
  flag,
  type InferSchema,
  integer,
  object,
  requirePath,
  showLines,
  type ToolFailure,
  text,
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
    description: "A histogram counts the values of x.",
  },
  "rows?": {
    type: "array",
    minItems: 1,
    maxItems: chartLimits.rows,
    description: "Instead of path.",
    items: {
      type: "object",
      patternProperties: { "^": { type: ["string", "number", "boolean", "null"] } },
      additionalProperties: false,
    },
  },
  "path?": text(
    'CSV or TSV with a header line, or JSON rows, such as "data/sales.csv". Instead of rows.',
  ),
  x: text("The column of the x axis or of a pie's labels."),
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
    description: 'Columns of numbers, such as ["sales", "costs"]; not for a histogram.',
  },
  "color?": text('The column of the series, such as "region".'),
  "title?": text('Such as "Sales by month".', title),
  "x_title?": text('Such as "Month".', title),
  "y_title?": text('Such as "Euro".', title),
  stacked: flag("Series on top of each other."),
  width: integer("Pixels, such as 640.", {
    minimum: pixelsLeast,
    maximum: pixelsMost,
    default: 640,
  }),
  height: integer("Pixels, such as 400.", {
    minimum: pixelsLeast,
    maximum: pixelsMost,
    default: 400,
  }),
  format: choice(["svg", "png"], "png can be shown anywhere."),
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
      "Draws a chart from rows of data and gives it to the person. " +
      'Example: {"type": "bar", "rows": [{"month": "Jan", "sales": 120}], "x": "month", "y": "sales"}.',
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
    show: ({ type, rows, width, height, artifact }) =>
      showLines(`${type} chart of ${rows} rows, ${width} × ${height}`, showArtifact(artifact)),
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
