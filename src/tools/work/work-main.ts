import { closeSync, readdirSync, readlinkSync } from "node:fs"
import { setPriority } from "node:os"
import { Worker } from "node:worker_threads"
import { descriptors } from "./frames.ts"
import type { WatchdogData } from "./watchdog.ts"

const ownNumbers: ReadonlySet<number> = new Set([0, 1, 2, ...Object.values(descriptors)])

/** The first thing that a process runs which works for Toolkeep: it limits itself, then loads its work. */
const [file = "", memoryBytes, lookMs] = process.argv.slice(2)
closeInherited()
const background = 5
try {
  setPriority(background)
} catch {
  // Some systems do not let a process step back; the work is the same.
}
// What comes from outside is only read here: no library may ask for more of it.
for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name)

const watchdog = new Worker(new URL("./watchdog.ts", import.meta.url), {
  ...{ env: {}, argv: [], execArgv: [], stdout: true, stderr: true, name: "watchdog" },
  workerData: { memoryBytes: Number(memoryBytes), lookMs: Number(lookMs) } satisfies WatchdogData,
})
await new Promise((resolve) => watchdog.once("message", resolve))
watchdog.unref()
await import(file)

/**
 * Closes files and sockets that the process that started Toolkeep has left open for it. Node holds none of its own
 * when it starts, only pipes and what the kernel calls anonymous.
 */
function closeInherited(): void {
  for (const number of openNumbers()) {
    if (ownNumbers.has(number)) continue
    try {
      if (/^(\/(?!dev\/|proc\/)|socket:)/.test(readlinkSync(`/proc/self/fd/${number}`))) {
        closeSync(number)
      }
    } catch {
      // The listing's own, which is closed by now.
    }
  }
}

function openNumbers(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number)
  } catch {
    return []
  }
}
