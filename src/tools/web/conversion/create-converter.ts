import { limits } from "../../../contract/index.ts"
import type { Conversion, ConversionJob } from "./conversion.ts"
import { type ConversionThread, startConversionThread } from "./conversion-thread.ts"

/** Makes text of pages in threads: a hostile page must hold nothing up but itself. */
export interface Converter {
  /** The signal ends it, whatever the page does. */
  convert(job: ConversionJob, signal: AbortSignal): Promise<Conversion>
  close(): Promise<void>
}

export function createConverter(): Converter {
  const all = new Set<ConversionThread>()
  /** Kept warm: loading what reads pages takes longer than reading most of them. */
  const idle: ConversionThread[] = []
  const waiting: (() => void)[] = []
  let running = 0

  /** A thread's turn, in the order of asking. */
  async function enter(signal: AbortSignal): Promise<void> {
    if (running < limits.web.conversions) {
      running += 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => {
      const at = waiting.indexOf(resolve)
      if (at !== -1) waiting.splice(at, 1)
      reject(signal.reason)
    }
    waiting.push(resolve)
    signal.addEventListener("abort", abort)
    await promise.finally(() => signal.removeEventListener("abort", abort))
  }

  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }

  function start(): ConversionThread {
    const thread = startConversionThread()
    all.add(thread)
    return thread
  }

  return {
    async convert(job, signal) {
      signal.throwIfAborted()
      await enter(signal)
      const thread = idle.pop() ?? start()
      try {
        return await thread.run(job, signal)
      } finally {
        if (thread.isAlive) idle.push(thread)
        else all.delete(thread)
        leave()
      }
    },
    async close() {
      await Promise.all([...all].map((thread) => thread.end()))
    },
  }
}
