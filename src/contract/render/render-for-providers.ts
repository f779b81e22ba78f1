import type { Envelope } from "../envelope/envelope.ts"
import { copyInput } from "../schema/copy-input.ts"
import type { OwnJson } from "../schema/json.ts"

/** An image that belongs to a result, such as a screenshot. */
export interface ResultImage {
  readonly mimeType: string
  /** As base64. */
  readonly data: string
}

/** An envelope as the APIs of model providers take a tool's result, with its images where they take any. */
export interface ProviderResults {
  readonly anthropic: { content: string | AnthropicBlock[]; is_error: boolean }
  /** Chat completions take only text here; images follow in a message of the user. */
  readonly openai: { content: string }
  readonly "openai-responses": { output: string | ResponsesBlock[] }
  readonly gemini: { response: { output: string } | { error: string }; parts?: GeminiBlob[] }
  readonly "ai-sdk": AiSdkOutput
}

type AnthropicBlock = TextBlock | { type: "image"; source: AnthropicSource }
interface AnthropicSource {
  type: "base64"
  media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
  data: string
}
interface TextBlock {
  type: "text"
  text: string
}
type ResponsesBlock =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" }
interface GeminiBlob {
  inlineData: { mimeType: string; data: string }
}
type AiSdkOutput =
  | { type: "json" | "error-json"; value: OwnJson }
  | { type: "content"; value: (TextBlock | AiSdkFile)[] }
interface AiSdkFile {
  type: "file"
  mediaType: string
  data: { type: "data"; data: string }
}

/** "data:image/png;base64,iVBORw0KGgo…" */
export function dataUrl({ mimeType, data }: ResultImage): string {
  return `data:${mimeType};base64,${data}`
}

/** Gemini takes no GIF. */
const isForGemini = ({ mimeType }: ResultImage) => mimeType !== "image/gif"

export const providerRenderers: {
  readonly [Format in keyof ProviderResults]: (
    envelope: Envelope,
    images: readonly ResultImage[],
  ) => ProviderResults[Format]
} = {
  anthropic(envelope, images) {
    const text = JSON.stringify(envelope)
    const blocks = images.map(({ mimeType, data }): AnthropicBlock => {
      const media_type = mimeType as AnthropicSource["media_type"]
      return { type: "image", source: { type: "base64", media_type, data } }
    })
    const content = blocks.length === 0 ? text : [{ type: "text" as const, text }, ...blocks]
    return { content, is_error: !envelope.ok }
  },
  openai: (envelope) => ({ content: JSON.stringify(envelope) }),
  "openai-responses"(envelope, images) {
    const text = JSON.stringify(envelope)
    if (images.length === 0) return { output: text }
    const blocks = images.map((image): ResponsesBlock => {
      return { type: "input_image", image_url: dataUrl(image), detail: "auto" }
    })
    return { output: [{ type: "input_text", text }, ...blocks] }
  },
  gemini(envelope, images) {
    // As text: in an object, the API takes each key "$ref" for a reference to one of the parts, and refuses the request.
    const text = JSON.stringify(envelope)
    const parts = images.filter(isForGemini).map(({ mimeType, data }) => ({
      inlineData: { mimeType, data },
    }))
    return {
      response: envelope.ok ? { output: text } : { error: text },
      ...(parts.length > 0 && { parts }),
    }
  },
  "ai-sdk"(envelope, images) {
    if (images.length === 0) {
      return {
        type: envelope.ok ? "json" : "error-json",
        value: copyInput<object>(envelope) as OwnJson,
      }
    }
    const files = images.map(({ mimeType, data }): AiSdkFile => {
      return { type: "file", mediaType: mimeType, data: { type: "data", data } }
    })
    return { type: "content", value: [{ type: "text", text: JSON.stringify(envelope) }, ...files] }
  },
}
