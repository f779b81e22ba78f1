import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Worker } from "tesseract.js"
import { answerRequests, type WorkAnswer } from "../work/answer-requests.ts"
import { type ImageFacts, inspectImage, type Purpose } from "./inspect-image.ts"

export type ImageRequest =
  | {
      readonly kind: "inspect"
      readonly field: "path" | "data"
      readonly purpose: Purpose
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
      case "inspect": {
        const { facts, image } = await inspectImage(bytes, request)
        return { value: { facts, mimeType: image.mimeType }, bytes: image.bytes }
      }
      case "read":
        return { value: await readText(bytes) }
      default:
        return request satisfies never
    }
  },
)
