import { answerRequests, type WorkAnswer } from "../work/answer-requests.ts"
import { type ImageFacts, inspectImage, loadImage } from "./inspect-image.ts"
import { type ReadText, readText } from "./read-text.ts"

export type ImageRequest =
  | {
      readonly kind: "inspect"
      readonly field: "path" | "data"
      /** What the converted image is for: the text reader, or a model. */
      readonly purpose: "reading" | "model"
    }
  | { readonly kind: "read" }

export type ImageAnswer = InspectedImage | ReadText

export interface InspectedImage {
  readonly facts: ImageFacts
  /** What the bytes beside it are. */
  readonly mimeType: string
}

async function inspect(
  bytes: Uint8Array,
  { field, purpose }: Extract<ImageRequest, { kind: "inspect" }>,
): Promise<WorkAnswer<InspectedImage>> {
  const image = await loadImage(bytes, field)
  const facts = await inspectImage(image)
  const made = purpose === "reading" ? await image.forReading() : await image.forModel()
  return { value: { facts, mimeType: made.mimeType }, bytes: made.bytes }
}

answerRequests(async (request: ImageRequest, bytes): Promise<WorkAnswer<ImageAnswer>> => {
  switch (request.kind) {
    case "inspect":
      return inspect(bytes, request)
    case "read":
      return { value: await readText(bytes) }
    default:
      return request satisfies never
  }
})
