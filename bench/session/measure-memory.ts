// Prints by how many bytes this process has grown at most while it opened the session.
import { readFileSync } from "node:fs"
import { openToFirstRequest } from "./open-to-first-request.ts"

function status(field: "VmRSS" | "VmHWM"): number {
  const text = readFileSync("/proc/self/status", "utf8")
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]) * 1024
}

const before = status("VmRSS")
await openToFirstRequest(process.argv[2] ?? "")
console.log(status("VmHWM") - before)
