import { readFileSync, readlinkSync } from "node:fs"

/**
 * Identifies a process with a text that no other process ever has: the machine's boot id, the pid namespace, the
 * pid, and the process's start time.
 */
export function ownerOf(pid: number): string {
  return [...bootAndNamespace(), pid, startTime(pid) ?? "gone"].join(":")
}

/** False when it cannot be known: a pid means nothing in another pid namespace. */
export function isDead(owner: string): boolean {
  const [machine, namespace, pid, started] = owner.split(":")
  const [ourMachine, ourNamespace] = bootAndNamespace()
  if (machine !== ourMachine) return true
  if (namespace !== ourNamespace) return false
  return startTime(Number(pid)) !== started
}

const pauseMs = 1

/** Waits for a killed process to end, but not longer than `mostMs`. */
export async function untilDead(owner: string, mostMs: number): Promise<void> {
  const deadline = performance.now() + mostMs
  while (!isDead(owner) && performance.now() < deadline) {
    await new Promise((resume) => setTimeout(resume, pauseMs))
  }
}

function bootAndNamespace(): readonly [string, string] {
  const machine = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "unknown"
  return [machine, namespace]
}

/** Null for a process that has ended, also while it is a zombie. */
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
