import { Worker } from "node:worker_threads"

/** How much processor time the process may take while its event loop stands still, and how often that is looked at. */
const standstillMs = 20_000
const lookMs = 500

export interface LoopWatchData {
  /** Counts up while the event loop turns. */
  readonly turns: Int32Array
  readonly standstillMs: number
  readonly lookMs: number
  /** Said before the process is ended. */
  readonly sentence: string
}

/**
 * Ends the process where something in it loops for ever: nobody could stop it any more, or the commands that it has
 * started. By processor time: on a busy machine much else takes long.
 */
export function watchLoops(sentence: string): Disposable {
  const turns = new Int32Array(new SharedArrayBuffer(4))
  const turning = setInterval(() => Atomics.add(turns, 0, 1), lookMs).unref()
  const workerData: LoopWatchData = { turns, standstillMs, lookMs, sentence }
  const thread = new Worker(new URL("./loop-watch-thread.ts", import.meta.url), {
    ...{ workerData, argv: [], execArgv: [], name: "toolkeep-loops" },
  })
  thread.unref()
  return {
    [Symbol.dispose]() {
      clearInterval(turning)
      void thread.terminate()
    },
  }
}
