import { Worker } from "node:worker_threads"
import { onAbort } from "../../../kit/index.ts"
import { compiledCodeEnvironment } from "../../programs/compiled-code.ts"
import type { TreeCopyRequest, TreeCopyResult } from "./copy-tree.ts"

export interface CopyOrder extends Omit<TreeCopyRequest, "earlier"> {
  /** Where the trees of all sandboxes are. */
  readonly shared: string
  /** Of the new tree. */
  readonly name: string
  /** What is known of the last tree, and where to write what is known of this one. */
  readonly knownFile: string
  readonly nextKnownFile: string
}

export type CopyReport =
  | Omit<Extract<TreeCopyResult, { kind: "copied" }>, "known">
  | Exclude<TreeCopyResult, { kind: "copied" }>

/** This thread would stand still for as long as it takes. Nothing copies any more when it settles. */
export async function copyInThread(order: CopyOrder, signal: AbortSignal): Promise<CopyReport> {
  signal.throwIfAborted()
  const worker = new Worker(new URL("./copy-tree-worker.ts", import.meta.url), {
    workerData: order,
    env: { PATH: process.env.PATH, ...compiledCodeEnvironment() },
    argv: [],
    execArgv: [],
    name: "toolkeep-checkpoint",
  })
  const done = Promise.withResolvers<CopyReport>()
  worker.once("message", done.resolve)
  worker.once("error", done.reject)
  worker.once("exit", () => done.reject(new Error("The copy ended without an answer.")))
  const stopListening = onAbort(signal, () => done.reject(signal.reason))
  try {
    return await done.promise
  } finally {
    stopListening()
    await worker.terminate()
  }
}
