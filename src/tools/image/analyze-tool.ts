import type { ModelEndpoint } from "../../config/index.ts"
import { defineTool, object, showLines, ToolFailure, text } from "../../contract/index.ts"
import { mimeTypeArgument, namedSandbox, readPath, sandboxArgument } from "../arguments.ts"
import { askEndpoint, missingKey } from "../ask-endpoint.ts"
import { imageLimits } from "../limits.ts"
import { readMedia } from "../media/read-media.ts"
import { missingPackages } from "../missing-packages.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork, WorkKind } from "../work/session-work.ts"
import type { ImageRequest, InspectedImage, ReadText } from "./image-worker.ts"
import type { EncodedImage } from "./inspect-image.ts"

const imageProgram = {
  file: new URL("./image-worker.ts", import.meta.url),
  memoryBytes: imageLimits.memoryBytes,
}
const inspecting: WorkKind<ImageRequest, InspectedImage> = imageProgram
const reading: WorkKind<ImageRequest, ReadText> = imageProgram

const defaultPrompt = "Describe this image: what it shows, and any text in it, word for word."

/** image.analyze: what is in a picture, by a vision model or by what this machine can find out itself. */
export function analyzeTool({ settings }: ToolDeps, work: SessionWork) {
  const vision = settings.models?.vision
  const withoutPackages = missingPackages(
    "image.analyze",
    vision ? ["sharp"] : ["sharp", "tesseract.js", "@tesseract.js-data/eng"],
  )
  return defineTool({
    name: "image.analyze",
    title: "Look at an image",
    description: vision
      ? "Answers the prompt about an image (PNG, JPEG, WebP, GIF, AVIF, TIFF, SVG) with a vision model; also size, colours and metadata. " +
        'Example: {"path": "screenshots/login.png", "prompt": "What does the error message say?"}.'
      : "Reads the text, size, colours and metadata of an image (PNG, JPEG, WebP, GIF, AVIF, TIFF, SVG). Without a vision model " +
        'it can\'t say what the image shows. Example: {"path": "screenshots/login.png"}.',
    input: object({
      "path?": text("Instead of data."),
      "data?": text('As base64, such as "iVBORw0KGgo...".'),
      "mime_type?": mimeTypeArgument('Such as "image/png"; the bytes decide.'),
      "prompt?": text('What to find out, such as "What does the error message say?".', {
        maxLength: imageLimits.promptCharacters,
      }),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "image" },
      format: { type: "string", description: 'Such as "png".' },
      width: { type: "integer" },
      height: { type: "integer" },
      "frames?": { type: "integer", description: "Of an animation; the first was looked at." },
      has_alpha: { type: "boolean" },
      colours: {
        type: "array",
        description: "The most common ones, with their share of the image.",
        items: object({ hex: { type: "string" }, share: { type: "number" } }),
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
    }),
    groups: ["media"],
    effects: vision ? ["read", "network"] : ["read"],
    pathArguments: ["path"],
    paths: readPath,
    sandbox: namedSandbox,
    unavailableReason: () =>
      withoutPackages() ?? (vision ? missingKey("image.analyze", vision) : null),
    // The bytes are looked at in a process of its own and nowhere else.
    async run(input, context) {
      const { signal } = context
      const bytes = await readMedia(input, context, imageLimits.bytes)
      const inspected = await work.ask(
        inspecting,
        {
          kind: "inspect",
          field: input.path === undefined ? "data" : "path",
          purpose: vision ? "model" : "reading",
        },
        { bytes, signal, ms: imageLimits.unpackSeconds * 1000 },
      )
      const { facts, mimeType } = inspected.value
      const image = { bytes: inspected.bytes, mimeType }
      const prompt = input.prompt?.trim()
      if (vision) {
        const question = { image, prompt: prompt || defaultPrompt, signal }
        const description = await askVision(vision, question)
        return { kind: "image", ...facts, description, model: vision.model }
      }
      const read = await work.ask(reading, { kind: "read" }, { bytes: image.bytes, signal })
      if (prompt) {
        context.warn(
          "No vision model is configured (models.vision in toolkeep.yaml), so the prompt was not answered; only text, size, colours and metadata were read.",
        )
      }
      const { text, confidence } = read.value
      if (text === "") return { kind: "image", ...facts, text }
      return { kind: "image", ...facts, text, text_confidence: confidence }
    },
    show: showImage,
  })
}

interface ShownImage {
  readonly format: string
  readonly width: number
  readonly height: number
  readonly frames?: number
  readonly has_alpha: boolean
  readonly colours: readonly { readonly hex: string; readonly share: number }[]
  readonly metadata: Readonly<Record<string, string | number>>
  readonly description?: string
  readonly model?: string
  readonly text?: string
  readonly text_confidence?: number
}

function showImage(image: ShownImage): string {
  const { description, text, text_confidence: confidence, frames, colours, metadata } = image
  return showLines(
    description,
    text === "" ? "No text." : text,
    confidence !== undefined && `[text read with confidence ${confidence} of 100]`,
    image.model !== undefined && `[by ${image.model}]`,
    `${image.format}, ${image.width} × ${image.height}${image.has_alpha ? ", transparent" : ""}`,
    frames !== undefined && `${frames} frames`,
    `colours: ${colours.map(({ hex, share }) => `${hex} ${share}`).join(", ")}`,
    ...Object.entries(metadata).map(([name, value]) => `${name}: ${value}`),
  )
}

interface VisionQuestion {
  readonly image: EncodedImage
  readonly prompt: string
  readonly signal: AbortSignal
}

/** What a vision model says about an image. */
async function askVision(vision: ModelEndpoint, question: VisionQuestion): Promise<string> {
  const { image, prompt, signal } = question
  const url = `data:${image.mimeType};base64,${Buffer.from(image.bytes).toString("base64")}`
  const content = [
    { type: "text", text: prompt },
    { type: "image_url", image_url: { url } },
  ]
  const answer = await askEndpoint(vision, {
    path: "chat/completions",
    body: { model: vision.model, messages: [{ role: "user", content }] },
    signal,
  })
  const text = textIn(answer)
  if (text !== null) return text
  throw new ToolFailure({
    kind: "execution_error",
    message: `${vision.model} answered without a text. Check that it is a chat model that takes images.`,
  })
}

function textIn(answer: unknown): string | null {
  const { choices } = Object(answer) as { choices?: { message?: { content?: unknown } }[] }
  const content = Array.isArray(choices) ? choices[0]?.message?.content : undefined
  return typeof content === "string" && content.trim() !== "" ? content.trim() : null
}
