import { Socket } from "node:net"
import { parentPort, workerData } from "node:worker_threads"
import { descriptors } from "./frames.ts"

export interface WatchdogData {
  readonly memoryBytes: number
  readonly lookMs: number
}

/**
 * A thread beside the work, which the work can't hold up: ends the process when Toolkeep's has ended,
 * however it did, and when the work takes more memory than it may.
 */
const { memoryBytes, lookMs }: WatchdogData = workerData
const end = () => process.kill(process.pid, "SIGKILL")

new Socket({ fd: descriptors.life })
  .on("error", () => {})
  .on("close", end)
  .resume()
setInterval(() => {
  if (process.memoryUsage.rss() > memoryBytes) end()
}, lookMs)
parentPort?.postMessage("watching")
