import { Worker } from "node:worker_threads"
import { limits, ToolFailure } from "../../../contract/index.ts"
import { watchMemory } from "../../../sandbox/index.ts"
import type { Conversion, ConversionAnswer, ConversionJob } from "./conversion.ts"

/** A thread that makes text of one page at a time. A page that takes too long or too much ends it. */
export interface ConversionThread {
  readonly isAlive: boolean
  run(job: ConversionJob, signal: AbortSignal): Promise<Conversion>
  end(): Promise<void>
}

const megabyte = 1024 ** 2

export function startConversionThread(): ConversionThread {
  const worker = new Worker(new URL("./conversion-worker.ts", import.meta.url), {
    ...{ env: {}, argv: [], execArgv: [], stdin: false, stdout: true, stderr: true },
    name: "toolkeep-conversion",
    // Only the last resort: V8 ends the whole process for one allocation beyond it.
    resourceLimits: { maxOldGenerationSizeMb: (4 * limits.web.conversionBytes) / megabyte },
  })
  // Libraries talk to consoles, and nobody reads what they say.
  worker.stdout.resume()
  worker.stderr.resume()
  worker.unref()
  let isAlive = true
  let settle: { resolve(answer: ConversionAnswer): void; reject(error: unknown): void } | null =
    null
  worker.on("message", (answer: ConversionAnswer) => settle?.resolve(answer))
  worker.on("error", (error) => settle?.reject(error))
  worker.on("exit", () => {
    isAlive = false
    settle?.reject(unreadable("it ended the thread that reads it"))
  })
  const end = async () => {
    isAlive = false
    await worker.terminate()
  }
  const fail = (error: unknown) => {
    settle?.reject(error)
    void end()
  }

  async function run(job: ConversionJob, signal: AbortSignal): Promise<Conversion> {
    const { promise, resolve, reject } = Promise.withResolvers<ConversionAnswer>()
    settle = { resolve, reject }
    const abort = () => fail(signal.reason)
    signal.addEventListener("abort", abort)
    const unwatch = watchMemory(worker, limits.web.conversionBytes, () => fail(unreadable(tooMuch)))
    worker.ref()
    try {
      signal.throwIfAborted()
      worker.postMessage(job, [job.bytes.buffer])
      const answer = await promise
      if (answer.kind === "failed") throw unreadable(answer.reason)
      return answer.conversion
    } finally {
      settle = null
      worker.unref()
      unwatch()
      signal.removeEventListener("abort", abort)
    }
  }

  return {
    get isAlive() {
      return isAlive
    },
    run,
    end,
  }
}

const tooMuch = "it takes too much memory"

function unreadable(reason: string): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message: `The page can't be read: ${reason.replace(/[.\s]+$/, "").slice(0, 200)}. Ask for less with max_bytes, or for its source with format "raw".`,
    retryable: false,
  })
}
