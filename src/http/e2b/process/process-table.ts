import { ConnectError } from "../connect/connect-error.ts"
import type { RunningProcess } from "./running-process.ts"

/** How a client names a process. */
export interface ProcessSelector {
  readonly pid?: number
  readonly tag?: string
}

/** The processes that run, of each sandbox. */
export interface ProcessTable {
  /** Known until the returned function is called. */
  add(sandbox: string, process: RunningProcess): () => void
  /** Fails with not_found. */
  find(sandbox: string, selector: ProcessSelector): RunningProcess
  list(sandbox: string): readonly RunningProcess[]
  /** A number that no process of Linux has, for a program whose own nobody outside the sandbox knows. */
  newNumber(): number
}

export function createProcessTable(): ProcessTable {
  const running = new Map<string, Map<number, RunningProcess>>()
  let lastNumber = 2 ** 22
  return {
    add(sandbox, process) {
      const own = running.get(sandbox) ?? new Map<number, RunningProcess>()
      running.set(sandbox, own)
      own.set(process.pid, process)
      return () => {
        if (own.get(process.pid) !== process) return
        own.delete(process.pid)
        if (own.size === 0) running.delete(sandbox)
      }
    },
    find(sandbox, { pid, tag }) {
      const all = [...(running.get(sandbox)?.values() ?? [])]
      const found = all.find((one) => (tag === undefined ? one.pid === pid : one.tag === tag))
      if (found) return found
      const name = tag === undefined ? `the pid ${pid}` : `the tag ${JSON.stringify(tag)}`
      throw new ConnectError("not_found", `No process with ${name} runs in this sandbox.`)
    },
    newNumber() {
      lastNumber += 1
      return lastNumber
    },
    list: (sandbox) => [...(running.get(sandbox)?.values() ?? [])],
  }
}
