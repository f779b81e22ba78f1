import { readFileSync, readlinkSync } from "node:fs"

/** What tells a machine, one start of it and a pid namespace from all others. */
export interface ProcessPlace {
  /** Null where that is not certain. */
  readonly machine: string | null
  readonly boot: string
  readonly namespace: string
}

/**
 * Identifies a process with a text that no other process ever has: the machine's boot id, the pid namespace, the
 * pid, the process's start time, and the machine.
 */
export function ownerOf(pid: number, place: ProcessPlace = thisPlace()): string {
  const { boot, namespace, machine } = place
  return [boot, namespace, pid, startTime(pid) ?? "gone", machine ?? unknownMachine].join(":")
}

/**
 * False when it cannot be known: a pid means nothing in another pid namespace, and a process of another machine
 * that uses the same directory may live. One of an earlier start of this machine has ended with that.
 */
export function isDead(owner: string, place: ProcessPlace = thisPlace()): boolean {
  const [boot, namespace, pid, started, machine = unknownMachine] = owner.split(":")
  // Cut off by a full disk: its writer got the error, and owns nothing.
  if (started === undefined) return true
  if (boot !== place.boot) return machine !== unknownMachine && machine === place.machine
  if (namespace !== place.namespace) return false
  return startTime(Number(pid)) !== started
}

/** The process as a sentence names it. Where it can't be seen from here, nobody but a person knows whether it lives. */
export function describeOwner(
  owner: string,
  place: ProcessPlace = thisPlace(),
): { readonly name: string; readonly isSeen: boolean } {
  const [boot, namespace, pid = "unknown"] = owner.split(":")
  const isSeen = boot === place.boot && namespace === place.namespace
  const where = isSeen ? "" : " of another machine or container"
  return { name: `process ${pid}${where}`, isSeen }
}

const pauseMs = 1

/** Waits for a killed process to end, but not longer than `mostMs`. */
export async function untilDead(owner: string, mostMs: number): Promise<void> {
  const deadline = performance.now() + mostMs
  while (!isDead(owner) && performance.now() < deadline) {
    await new Promise((resume) => setTimeout(resume, pauseMs))
  }
}

const unknownMachine = "-"

/** Linux gives the first pid namespace of every machine this number. */
const firstNamespace = "4026531836"

/** A container's machine id may be its image's, which containers on other machines have as well. */
function thisPlace(): ProcessPlace {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "unknown"
  return { machine: namespace === firstNamespace ? machineId() : null, boot, namespace }
}

function machineId(): string | null {
  try {
    const id = readFileSync("/etc/machine-id", "utf8").trim()
    return /^[0-9a-f]{32}$/.test(id) ? id : null
  } catch {
    return null
  }
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
