import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider"
import { mimeTypeOfBytes, signatureBytes } from "../../node/index.ts"
import { modelLimits } from "../limits.ts"
import type { ImagePart, TextPart } from "../messages.ts"

type PromptPart = LanguageModelV4TextPart | LanguageModelV4FilePart

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"]

/** Texts and images as a prompt has them. Empty texts are refused by providers, so they are left out. */
export function promptContent(parts: readonly (TextPart | ImagePart)[]): PromptPart[] {
  return parts.flatMap((part): PromptPart[] => {
    if (part.type === "image") return [promptImage(part)]
    return isBlank(part.text) ? [] : [{ type: "text", text: part.text }]
  })
}

/** An image that no model reads becomes a sentence: a refused one would make every later request fail. */
function promptImage({ mediaType, data }: ImagePart): PromptPart {
  // By its bytes, because providers refuse an image that is declared as another type.
  const start = Buffer.from(data.slice(0, Math.ceil(signatureBytes / 3) * 4), "base64")
  const type = mimeTypeOfBytes(start)
  if (type === null || !imageTypes.includes(type)) {
    return note(`of type ${type ?? mediaType}, and models can't read it`)
  }
  if (data.length > modelLimits.imageCharacters) return note("too large for a model")
  return { type: "file", mediaType: type, data: { type: "data", data } }
}

function note(why: string): PromptPart {
  return { type: "text", text: `[An image was left out: it is ${why}.]` }
}

export function isFile(part: PromptPart): part is LanguageModelV4FilePart {
  return part.type === "file"
}

export function isBlank(text: string): boolean {
  return text.trim() === ""
}
