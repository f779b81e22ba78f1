import { Worker } from "node:worker_threads"
import type { ThreadData } from "./thread-messages.ts"

const megabyte = 1024 * 1024
/**
 * A single allocation beyond V8's own limit ends the whole process. So a thread that uses too much
 * is ended earlier, by looking at it, and V8's limit is only the last resort.
 */
const lastResort = 4

/** Starts the thread that runs scripts, without anything of this process's environment. */
export function startWorker(data: ThreadData): Worker {
  return new Worker(new URL("../memory-worker.ts", import.meta.url), {
    workerData: data,
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    name: "toolkeep-shell",
    resourceLimits: {
      maxOldGenerationSizeMb: (lastResort * data.memoryBytes) / megabyte,
    },
  })
}
