import { type CallContext, cutText, limits } from "../../contract/index.ts"
import type { ModelEndpoint } from "../../policy/index.ts"
import { readMedia } from "../media/read-media.ts"
import { startThread } from "../thread/start-thread.ts"
import { Thread } from "../thread/thread.ts"
import type { ToolParts } from "../tool-parts.ts"
import type { AnalyzeInput } from "./analyze-tool.ts"
import { askVision } from "./ask-vision.ts"
import { inspectImage, type LoadedImage, loadImage } from "./inspect-image.ts"
import type { ReadText } from "./text-worker.ts"

export type AnalyzeImage = (input: AnalyzeInput, context: CallContext) => Promise<unknown>
type Reader = Thread<Uint8Array, ReadText>

/** Images of one session. Text is read in a thread that starts with the first and ends with the session. */
export function openImages({
  settings,
  onClose,
}: Pick<ToolParts, "settings" | "onClose">): AnalyzeImage {
  const vision = settings.models?.vision
  const reader: Reader = new Thread(() =>
    startThread(new URL("./text-worker.ts", import.meta.url), { name: "toolkeep-ocr" }),
  )
  onClose(() => reader.close())

  return async (input, context) => {
    const field = input.path === undefined ? "data" : "path"
    const bytes = await readMedia(input, context, limits.image.bytes)
    const image = await loadImage(bytes, field)
    const facts = await inspectImage(image)
    const seen = vision
      ? await describe(vision, { image, input, signal: context.signal })
      : await readText(reader, { image, input, context })
    return { kind: "image", ...facts, ...seen }
  }
}

const usualPrompt = "Describe this image: what it shows, and any text in it, word for word."

async function describe(
  vision: ModelEndpoint,
  asked: {
    readonly image: LoadedImage
    readonly input: AnalyzeInput
    readonly signal: AbortSignal
  },
) {
  const { image, input, signal } = asked
  const prompt = input.prompt?.trim() || usualPrompt
  const description = await askVision(vision, { image: await image.forModel(), prompt, signal })
  return { description: cutText(description).text, model: vision.model }
}

async function readText(
  reader: Reader,
  asked: {
    readonly image: LoadedImage
    readonly input: AnalyzeInput
    readonly context: CallContext
  },
) {
  const { image, input, context } = asked
  const { text, confidence } = await reader.ask(await image.forReading(), {
    signal: context.signal,
  })
  if (input.prompt?.trim()) {
    context.warn(
      "No vision model is configured (models.vision in toolkeep.yaml), so the prompt was not answered; only text, size, colours and metadata were read.",
    )
  }
  return text === "" ? { text } : { text: cutText(text).text, text_confidence: confidence }
}
