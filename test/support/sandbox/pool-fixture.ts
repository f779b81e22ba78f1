import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Clock } from "../../../src/kit/index.ts"
import type { Host } from "../../../src/sandbox/host/host.ts"
import { bubblewrapHost } from "../../../src/sandbox/hosts/bubblewrap/bubblewrap-host.ts"
import { createPool, type Pool, type PoolOptions } from "../../../src/sandbox/pool/create-pool.ts"
import type { PoolEvent } from "../../../src/sandbox/pool/pool-events.ts"

/** A pool of real sandboxes in a directory of its own, with everything that happened to it. */
export interface PoolFixture extends AsyncDisposable {
  readonly pool: Pool
  readonly host: Host
  readonly directory: string
  readonly events: readonly PoolEvent[]
}

export function openPool(options: PoolOptions = {}): PoolFixture {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-pool-"))
  chmodSync(directory, 0o755)
  const host = bubblewrapHost({ directory: join(directory, "bubblewrap") })
  const pool = createPool(host, options)
  const events: PoolEvent[] = []
  pool.listen((event) => events.push(event))
  return {
    pool,
    host,
    directory,
    events,
    async [Symbol.asyncDispose]() {
      await pool.destroy()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A clock whose idle timers fire when the test says so; all others are real. */
export function idleClock(real: Clock): Clock & { passIdleTime: (atMost?: number) => void } {
  const waiting = new Map<() => void, number>()
  return {
    now: real.now,
    after(milliseconds, callback, urgency) {
      if (urgency !== "idle") return real.after(milliseconds, callback)
      waiting.set(callback, milliseconds)
      return () => waiting.delete(callback)
    },
    passIdleTime(atMost = Number.POSITIVE_INFINITY) {
      const due = [...waiting].filter(([, milliseconds]) => milliseconds <= atMost)
      for (const [callback] of due) waiting.delete(callback)
      for (const [callback] of due) callback()
    },
  }
}
