import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Worker } from "tesseract.js"
import { answerRequests, type WorkAnswer } from "../work/answer-requests.ts"
import { type ImageFacts, inspectImage, loadImage } from "./inspect-image.ts"

export type ImageRequest =
  | {
      readonly kind: "inspect"
      readonly field: "path" | "data"
      /** What the converted image is for: the text reader, or a model. */
      readonly purpose: "reading" | "model"
    }
  | { readonly kind: "read" }

export interface InspectedImage {
  readonly facts: ImageFacts
  /** What the bytes beside it are. */
  readonly mimeType: string
}

export interface ReadText {
  readonly text: string
  /** From 0 to 100. */
  readonly confidence: number
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

/** The network alone, without the older way of reading. */
const neuralOnly = 1
let started: Promise<Worker> | null = null

async function start(): Promise<Worker> {
  const { createWorker } = await import("tesseract.js")
  const data = dirname(
    createRequire(import.meta.url).resolve("@tesseract.js-data/eng/package.json"),
  )
  return createWorker("eng", neuralOnly, {
    langPath: join(data, "4.0.0_best_int"),
    gzip: true,
    cacheMethod: "none",
    // Without one, a failure is thrown where nobody can catch it.
    errorHandler: () => {},
  })
}

/** The text in an image that was made for reading. The reader is loaded by the first. */
async function readText(image: Uint8Array): Promise<ReadText> {
  started ??= start()
  const { data } = await (await started).recognize(Buffer.from(image), {}, { text: true })
  return { text: data.text.trim(), confidence: Math.round(data.confidence) }
}

answerRequests(
  async (request: ImageRequest, bytes): Promise<WorkAnswer<InspectedImage | ReadText>> => {
    switch (request.kind) {
      case "inspect":
        return inspect(bytes, request)
      case "read":
        return { value: await readText(bytes) }
      default:
        return request satisfies never
    }
  },
)
