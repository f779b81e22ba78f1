import { readdirSync, readFileSync } from "node:fs"

export interface Process {
  readonly pid: number
  readonly command: string
  /** Is over, also when its number belongs to another one now. */
  isGone(): boolean
}

/** The processes that a process has started, and those that they have. */
export function descendantsOf(pid: number): readonly Process[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : null
    if (stat) parents.set(Number(name), stat.parent)
  }
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one)
    return parent !== undefined && (parent === pid || isBelow(parent))
  }
  return [...parents.keys()].filter(isBelow).map(processOf)
}

function processOf(pid: number): Process {
  const started = readStat(pid)?.started
  return {
    pid,
    command: readCommand(pid),
    isGone() {
      const now = readStat(pid)
      return now === null || now.state === "Z" || now.started !== started
    },
  }
}

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
  } catch {
    return ""
  }
}

function readStat(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { state: fields[0], parent: Number(fields[1]), started: fields[19] }
  } catch {
    return null
  }
}
