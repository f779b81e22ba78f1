// Prints by how many bytes the heap has grown when a loop has ended and what it made is still held.
import { recordedLoop, referenceLoop } from "./loops.ts"

const [which, directory = "", size = ""] = process.argv.slice(2)
const ours = await recordedLoop(directory)
const loop = which === "recorded" ? ours : referenceLoop

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

// What is loaded and compiled on first use is not the loop's.
await loop({ rounds: 20, calls: 5 })
const before = heap()
const made = await loop(JSON.parse(size))
console.log(heap() - before)
// Held until here.
if (made === null) throw new Error("The loop made nothing.")
await ours[Symbol.asyncDispose]()
