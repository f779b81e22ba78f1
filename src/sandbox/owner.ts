import { readFileSync, readlinkSync } from "node:fs"
import { limits } from "../contract/index.ts"

/**
 * Which process something belongs to, in words that no other process will ever have: the start of the
 * machine, the world of process numbers, the number in it, and when that process started.
 */
export function ownerOf(pid: number): string {
  return [...world(), pid, startTime(pid) ?? "gone"].join(":")
}

/** False for what can't be known: numbers mean nothing in another world of processes. */
export function isDead(owner: string): boolean {
  const [machine, namespace, pid, started] = owner.split(":")
  const [ourMachine, ourNamespace] = world()
  if (machine !== ourMachine) return true
  if (namespace !== ourNamespace) return false
  return startTime(Number(pid)) !== started
}

const pauseMs = 1

/** For a process that has been killed; one that the kernel takes too long for is not waited for. */
export async function untilDead(owner: string): Promise<void> {
  const deadline = performance.now() + limits.killWaitMs
  while (!isDead(owner) && performance.now() < deadline) {
    await new Promise((resume) => setTimeout(resume, pauseMs))
  }
}

function world(): readonly [string, string] {
  const machine = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "unknown"
  return [machine, namespace]
}

/** Null for a process that is over, also when nobody has taken note of its end yet. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name in the second field may itself contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const [state] = fields
    return state === "Z" || state === "X" ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}
