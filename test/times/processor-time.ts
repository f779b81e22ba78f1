import { readFileSync } from "node:fs"
import { afterAll } from "vitest"

declare module "vitest" {
  interface TaskMeta {
    /** What a test process has used when a file of it ends. */
    used?: { readonly pid: number; readonly processorMs: number }
  }
}

/** Of this process and of all its ended children. */
function processorMs(): number {
  const stat = readFileSync("/proc/self/stat", "utf8")
  // Behind the name, which may hold spaces: user and system time, then those of the children, in ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(")")).split(" ")
  return fields.slice(12, 16).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

// Registered before those of the file, so run after them: the file's engines and servers have ended.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads here which fixtures a hook wants.
afterAll(({}, { file }) => {
  file.meta.used = { pid: process.pid, processorMs: processorMs() }
})
