import { workLimits } from "../limits.ts"
import type { WorkProgram } from "./session-work.ts"
import type { WorkProcess } from "./work-process.ts"

interface Warm {
  readonly owner: object
  readonly kind: WorkProgram
  readonly timer: NodeJS.Timeout
}

/**
 * Processes that have nothing to do, for their owner's next work of that kind: what one session's bytes
 * did to a process, no other session meets. A few in all, and each for a while.
 */
export class WarmProcesses {
  readonly #warm = new Map<WorkProcess, Warm>()

  put(process: WorkProcess, owner: object, kind: WorkProgram): void {
    const timer = setTimeout(() => void this.#end(process), workLimits.idleMs).unref()
    this.#warm.set(process, { owner, kind, timer })
    const [oldest] = this.#warm.keys()
    if (oldest && this.#warm.size > workLimits.idle) void this.#end(oldest)
  }

  take(owner: object, kind: WorkProgram): WorkProcess | null {
    for (const [process, warm] of this.#warm) {
      if (warm.owner !== owner || warm.kind !== kind) continue
      this.#remove(process)
      if (process.isAlive) return process
    }
    return null
  }

  async endAll(owner: object): Promise<void> {
    const own = [...this.#warm].filter(([, warm]) => warm.owner === owner)
    await Promise.all(own.map(([process]) => this.#end(process)))
  }

  async #end(process: WorkProcess): Promise<void> {
    this.#remove(process)
    await process.end()
  }

  #remove(process: WorkProcess): void {
    clearTimeout(this.#warm.get(process)?.timer)
    this.#warm.delete(process)
  }
}
