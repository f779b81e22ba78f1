import { readFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/**
 * Bytes that programs on this machine could still take. What is measured as a difference of it includes what the
 * kernel holds for a process, which the process's own figures leave out.
 */
export function availableMemory(): number {
  collectGarbage()
  const text = readFileSync("/proc/meminfo", "utf8")
  return Number(/^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1]) * 1024
}

/** What this process no longer needs would be counted for what is measured. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}
