import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Worker } from "tesseract.js"

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
export async function readText(image: Uint8Array): Promise<ReadText> {
  started ??= start()
  const { data } = await (await started).recognize(Buffer.from(image), {}, { text: true })
  return { text: data.text.trim(), confidence: Math.round(data.confidence) }
}
