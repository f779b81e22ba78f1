import type { Clock } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"
import type { StoredSandbox } from "./stored-sandboxes.ts"

/** Calls back for each sandbox at the time when it ends. */
export interface Expiry {
  /** In the place of what was set for it before. */
  set(sandbox: Pick<StoredSandbox, "id" | "expiresMs">): void
  cancel(id: string): void
  close(): void
}

/** One that could not be ended then, such as one that another process has open, is tried again. */
export function createExpiry(clock: Clock, end: (id: string) => Promise<void>): Expiry {
  const timers = new Map<string, () => void>()
  let isClosed = false
  const cancel = (id: string) => {
    timers.get(id)?.()
    timers.delete(id)
  }
  const wait = (id: string, milliseconds: number) => {
    if (isClosed) return
    const stop = clock.after(milliseconds, () => void begin(id), "idle")
    timers.set(id, stop)
  }
  async function begin(id: string): Promise<void> {
    timers.delete(id)
    try {
      await end(id)
    } catch {
      wait(id, httpLimits.apiExpiryRetryMs)
    }
  }
  return {
    set({ id, expiresMs }) {
      cancel(id)
      if (expiresMs !== null) wait(id, Math.max(0, expiresMs - clock.now()))
    },
    cancel,
    close() {
      isClosed = true
      for (const id of [...timers.keys()]) cancel(id)
    },
  }
}
