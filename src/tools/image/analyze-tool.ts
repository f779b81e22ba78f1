import { type CallContext, defineTool, type InferSchema, showLines } from "../../contract/index.ts"
import { missingKey } from "../ask-endpoint.ts"
import { imageLimits } from "../limits.ts"
import { missingPackages } from "../missing-packages.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { mimeTypeArgument, object, text } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"
import type { AnalyzeImage } from "./analyze-image.ts"

const inputSchema = object({
  "path?": text('An image of the sandbox, such as "screenshots/login.png". Instead of data.'),
  "data?": text('The image as base64, such as "iVBORw0KGgo...". Instead of path.'),
  "mime_type?": {
    ...mimeTypeArgument,
    description: 'What data is, such as "image/png". The bytes themselves decide.',
  },
  "prompt?": text('What to find out, such as "What does the error message say?".', {
    maxLength: imageLimits.promptCharacters,
  }),
  "sandbox?": sandboxArgument,
})

const outputSchema = object({
  kind: { const: "image" },
  format: { type: "string", description: 'Such as "png".' },
  width: { type: "integer" },
  height: { type: "integer" },
  "frames?": { type: "integer", description: "Of an animation; the first was looked at." },
  has_alpha: { type: "boolean" },
  colours: {
    type: "array",
    description: "The most common ones, with their share of the image.",
    items: object({
      hex: { type: "string" },
      share: { type: "number" },
    }),
  },
  metadata: {
    type: "object",
    description: "What the camera or program wrote into the file.",
    additionalProperties: { type: ["string", "number"] },
  },
  "description?": { type: "string", description: "The vision model's answer." },
  "model?": { type: "string" },
  "text?": { type: "string", description: "The text that was read in the image." },
  "text_confidence?": { type: "integer", description: "From 0 to 100." },
})

export type AnalyzeInput = InferSchema<typeof inputSchema>
export type AnalyzeResult = InferSchema<typeof outputSchema>

/** image.analyze: what is in a picture, by a vision model or by what this machine can find out itself. */
export function analyzeTool(parts: ToolDeps, work: SessionWork) {
  const vision = parts.settings.models?.vision
  const packages = vision ? ["sharp"] : ["sharp", "tesseract.js", "@tesseract.js-data/eng"]
  const withoutPackages = missingPackages("image.analyze", packages)
  let opened: Promise<AnalyzeImage> | null = null
  const open = async () => {
    const { openImages } = await import("./analyze-image.ts")
    return openImages(parts, work)
  }
  return defineTool({
    name: "image.analyze",
    title: "Look at an image",
    description: vision
      ? "Looks at an image (PNG, JPEG, WebP, GIF, AVIF, TIFF, SVG) with a vision model and answers the prompt; also gives size, colours and metadata. " +
        'Example: {"path": "screenshots/login.png", "prompt": "What does the error message say?"}.'
      : "Reads the text in an image (PNG, JPEG, WebP, GIF, AVIF, TIFF, SVG) and gives its size, colours and metadata. No vision model " +
        'is configured, so it can\'t describe what an image shows. Example: {"path": "screenshots/login.png"}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["media"],
    effects: vision ? ["read", "network"] : ["read"],
    pathArguments: ["path"],
    paths: (input) => (input.path === undefined ? [] : [{ path: input.path, mode: "read" }]),
    sandbox: namedSandbox,
    unavailableReason: () =>
      withoutPackages() ?? (vision ? missingKey("image.analyze", vision) : null),
    run: async (input: AnalyzeInput, context: CallContext) => {
      opened ??= open()
      return (await opened)(input, context)
    },
    show: ({ description, text, width, height }) =>
      showLines(description, text, `${width} × ${height}`),
  })
}
