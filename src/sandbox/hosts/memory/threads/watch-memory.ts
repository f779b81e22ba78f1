import type { Worker } from "node:worker_threads"
import { memoryHostLimits } from "../../../limits.ts"

/** A thread looks at itself first, and knows better what is garbage; this is for one that can't. */
const tolerance = 1.5

/** Calls back once when the thread's memory exceeds the limit; the returned function ends the watch. */
export function watchMemory(worker: Worker, limitBytes: number, exceeded: () => void): () => void {
  // Older versions of Node can't look; there only the thread watches itself.
  if (typeof worker.getHeapStatistics !== "function") return () => {}
  let looking = false
  const timer = setInterval(async () => {
    if (looking) return
    looking = true
    try {
      const heap = await worker.getHeapStatistics()
      if (heap.used_heap_size + heap.external_memory > tolerance * limitBytes) {
        clearInterval(timer)
        exceeded()
      }
    } catch {
      clearInterval(timer)
    }
    looking = false
  }, memoryHostLimits.memoryCheckMs)
  timer.unref()
  return () => clearInterval(timer)
}
