import { Worker } from "node:worker_threads"

export interface ThreadOptions {
  readonly name: string
  readonly memoryBytes?: number
  readonly data?: unknown
}

/** Starts the thread of a file, without anything of this process's environment and arguments. */
export function startThread(file: URL, { name, memoryBytes, data }: ThreadOptions): Worker {
  const worker = new Worker(file, {
    name,
    workerData: data,
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    ...(memoryBytes === undefined
      ? {}
      : { resourceLimits: { maxOldGenerationSizeMb: memoryBytes / 1024 ** 2 } }),
  })
  // What libraries print is for nobody, and this process's own output may be a protocol.
  worker.stdout.resume()
  worker.stderr.resume()
  return worker
}
