import { setPriority } from "node:os"
import { Worker } from "node:worker_threads"
import { closeInherited } from "./close-inherited.ts"
import type { WatchdogData } from "./watchdog.ts"

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
