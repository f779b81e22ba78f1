import { closeSync, readdirSync, readlinkSync } from "node:fs"
import { descriptors } from "./descriptors.ts"

const ownNumbers: ReadonlySet<number> = new Set([0, 1, 2, ...Object.values(descriptors)])

/**
 * Closes files and sockets that whoever started Toolkeep has left open for it. Node holds none of its own
 * when it starts, only pipes and what the kernel calls anonymous.
 */
export function closeInherited(): void {
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
