import { type CallContext, defineTool, type InferSchema } from "../../contract/index.ts"
import { artifactSchema, showArtifact } from "../artifact-result.ts"
import { chartLimits } from "../limits.ts"
import { missingPackages } from "../missing-packages.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { choice, flag, integer, object, text } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"
import type { RenderChart } from "./render-chart.ts"

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
  "filename?": text('What the person sees it called: a plain name, such as "sales.svg".'),
  "sandbox?": sandboxArgument,
})

const outputSchema = object({
  kind: { const: "chart" },
  type: { type: "string", enum: chartTypes },
  rows: { type: "integer", minimum: 1, description: "How many rows of data there were." },
  width: { type: "integer" },
  height: { type: "integer" },
  artifact: artifactSchema,
})

export type ChartInput = InferSchema<typeof inputSchema>
export type ChartResult = InferSchema<typeof outputSchema>

/** chart.render: a picture of rows of data, for the person. */
export function renderTool(parts: ToolDeps, work: SessionWork) {
  let opened: Promise<RenderChart> | null = null
  const open = async () => {
    const { openCharts } = await import("./render-chart.ts")
    return openCharts(parts, work)
  }
  return defineTool({
    name: "chart.render",
    title: "Draw a chart",
    description:
      "Draws a line, bar, area, scatter or pie chart or a histogram from rows of data, and gives it to the person as SVG or PNG. " +
      'Example: {"type": "bar", "rows": [{"month": "Jan", "sales": 120}, {"month": "Feb", "sales": 90}], "x": "month", "y": "sales"}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["media"],
    effects: ["read", "write"],
    pathArguments: ["path"],
    paths: (input) => (input.path === undefined ? [] : [{ path: input.path, mode: "read" }]),
    sandbox: namedSandbox,
    unavailableReason: missingPackages("chart.render", ["vega", "vega-lite", "sharp"]),
    run: async (input: ChartInput, context: CallContext) => {
      opened ??= open()
      return (await opened)(input, context)
    },
    show: ({ artifact }) => showArtifact(artifact),
  })
}
