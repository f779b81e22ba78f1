import { setTimeout as delay } from "node:timers/promises"
import { trimEndOf } from "../../../kit/index.ts"
import { memoryLimits } from "../../limits.ts"
import type { Embedder, EmbeddingSource } from "./embedder.ts"

type Endpoint = Omit<EmbeddingSource & { readonly kind: "endpoint" }, "kind">

/** Any service that takes OpenAI's embeddings requests. */
export function endpointEmbedder({ url, model, key }: Endpoint): Embedder {
  const address = `${trimEndOf(url, "/")}/embeddings`
  return {
    id: `${address} ${model}`,
    async embed(texts, signal) {
      const body = JSON.stringify({ model, input: texts, encoding_format: "float" })
      const answer = await ask(address, { body, key, signal })
      return vectorsFrom(answer, texts.length)
    },
    close: async () => {},
  }
}

interface Question {
  readonly body: string
  readonly key: string | undefined
  readonly signal: AbortSignal
}

/** A service that is busy or failing is asked again, a few times and each time later. */
async function ask(address: string, question: Question): Promise<unknown> {
  for (let tried = 1; ; tried += 1) {
    const response = await post(address, question)
    if (response.ok) return JSON.parse(await boundedText(response))
    await response.body?.cancel()
    const passing = response.status === 429 || response.status >= 500
    if (!passing || tried === memoryLimits.endpointTries) {
      throw new Error(`${hostOf(address)} answered with status ${response.status}`)
    }
    await delay(tried * 250, undefined, { signal: question.signal })
  }
}

async function post(address: string, { body, key, signal }: Question): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
  const deadline = AbortSignal.timeout(memoryLimits.endpointMs)
  try {
    return await fetch(address, {
      ...{ method: "POST", headers, body },
      // The key is for this address alone.
      redirect: "error",
      signal: AbortSignal.any([signal, deadline]),
    })
  } catch {
    signal.throwIfAborted()
    if (deadline.aborted) throw new Error(`${hostOf(address)} did not answer in time`)
    // Without its cause, which may quote the key.
    throw new Error(`${hostOf(address)} can't be reached`)
  }
}

/** Without what may be secret in an address. */
function hostOf(address: string): string {
  return URL.parse(address)?.host ?? "the configured address"
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > memoryLimits.endpointBytes) throw new Error("the endpoint's answer is too large")
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

/** The answer's vectors in the order of the texts, which the answer need not have. */
function vectorsFrom(answer: unknown, count: number): readonly Float32Array[] {
  const data = (answer as { readonly data?: unknown } | null)?.data
  if (!Array.isArray(data) || data.length !== count) {
    throw new Error("the endpoint did not answer with one vector for each text")
  }
  const vectors = new Array<Float32Array>(count)
  for (const [position, one] of data.entries())
    vectors[one?.index ?? position] = vectorFrom(one?.embedding)
  const [first] = vectors
  if (vectors.every((vector) => vector && vector.length === first?.length)) return vectors
  throw new Error("the endpoint's vectors differ in length")
}

function vectorFrom(value: unknown): Float32Array {
  const numbers = Array.isArray(value) && value.length > 0 && value.every(Number.isFinite)
  if (numbers) return Float32Array.from(value)
  throw new Error("the endpoint's answer has a vector that is not a list of numbers")
}
