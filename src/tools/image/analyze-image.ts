import { type CallContext, cutText } from "../../contract/index.ts"
import { imageLimits } from "../limits.ts"
import { readMedia } from "../media/read-media.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"
import { Work } from "../work/work.ts"
import type { AnalyzeInput, AnalyzeResult } from "./analyze-tool.ts"
import { askVision } from "./ask-vision.ts"
import type { ImageRequest, InspectedImage } from "./image-worker.ts"
import type { ReadText } from "./read-text.ts"

export type AnalyzeImage = (input: AnalyzeInput, context: CallContext) => Promise<AnalyzeResult>

const defaultPrompt = "Describe this image: what it shows, and any text in it, word for word."

/** Images of one session. Their bytes are looked at in a process of its own and nowhere else. */
export function openImages(
  { settings }: Pick<ToolDeps, "settings">,
  work: SessionWork,
): AnalyzeImage {
  const vision = settings.models?.vision
  const kind = {
    file: new URL("./image-worker.ts", import.meta.url),
    memoryBytes: imageLimits.memoryBytes,
  }
  const inspector = new Work<ImageRequest, InspectedImage>(kind, work)
  const reader = new Work<ImageRequest, ReadText>(kind, work)
  const ms = imageLimits.unpackSeconds * 1000

  return async (input, context) => {
    const { signal } = context
    const field = input.path === undefined ? "data" : "path"
    const bytes = await readMedia(input, context, imageLimits.bytes)
    const purpose = vision ? "model" : "reading"
    const inspected = await inspector.ask(
      { kind: "inspect", field, purpose },
      { bytes, signal, ms },
    )
    const { facts, mimeType } = inspected.value
    const image = { bytes: inspected.bytes, mimeType }
    if (vision) {
      const prompt = input.prompt?.trim() || defaultPrompt
      const description = await askVision(vision, { image, prompt, signal })
      return {
        kind: "image" as const,
        ...facts,
        description: cutText(description).text,
        model: vision.model,
      }
    }
    const { value } = await reader.ask({ kind: "read" }, { bytes: image.bytes, signal })
    warnOfPrompt(input, context)
    return { kind: "image" as const, ...facts, ...shown(value) }
  }
}

function shown({ text, confidence }: ReadText) {
  return text === "" ? { text } : { text: cutText(text).text, text_confidence: confidence }
}

function warnOfPrompt({ prompt }: AnalyzeInput, context: CallContext): void {
  if (!prompt?.trim()) return
  context.warn(
    "No vision model is configured (models.vision in toolkeep.yaml), so the prompt was not answered; only text, size, colours and metadata were read.",
  )
}
