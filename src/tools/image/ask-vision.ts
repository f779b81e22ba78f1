import type { ModelEndpoint } from "../../config/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { askEndpoint } from "../ask-endpoint.ts"
import type { EncodedImage } from "./inspect-image.ts"

export interface VisionQuestion {
  readonly image: EncodedImage
  readonly prompt: string
  readonly signal: AbortSignal
}

/** What a vision model says about an image. */
export async function askVision(vision: ModelEndpoint, question: VisionQuestion): Promise<string> {
  const { image, prompt, signal } = question
  const url = `data:${image.mimeType};base64,${Buffer.from(image.bytes).toString("base64")}`
  const answer = await askEndpoint(vision, {
    path: "chat/completions",
    body: {
      model: vision.model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: prompt },
            { type: "image_url", image_url: { url } },
          ],
        },
      ],
    },
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
