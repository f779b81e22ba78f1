import { readdirSync, readFileSync } from "node:fs"

/** What a process holds of memory. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes = "0"] =
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kilobytes) / 1024
}

/** The processor's seconds that a process has used, with all its descendants. */
export function processorSeconds(root: number): number {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  const facts = new Map(processes.map((name) => [Number(name), statOf(name)]))
  const isBelow = (pid: number): boolean => {
    const parent = facts.get(pid)?.parent ?? 0
    return pid === root || (parent > 1 && isBelow(parent))
  }
  const ticks = [...facts].filter(([pid]) => isBelow(pid)).map(([, { used }]) => used)
  return ticks.reduce((sum, used) => sum + used, 0) / 100
}

function statOf(pid: string): { readonly parent: number; readonly used: number } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return { parent: Number(fields[1]), used: Number(fields[11]) + Number(fields[12]) }
  } catch {
    // It has ended meanwhile.
    return { parent: 0, used: 0 }
  }
}
