import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeDirectories } from "../node/index.ts"
import { type HomeTotal, measureHome } from "../sandbox/index.ts"

export interface HomeTotalDeps {
  readonly home: string
  readonly mostBytes: number
  /** What the sessions of this process take, as far as is known. */
  readonly added: () => number
}

/** What was measured last, for the next process. */
const fileName = "disk-use"

/** How long a measurement holds, and how long before something is refused because of it. */
const measuredForMs = 600_000
const refusedForMs = 5_000

/**
 * All that a Toolkeep keeps. It is walked through now and then, by another process; in between, what the
 * sessions of this process have taken since is added.
 */
export function createHomeTotal({ home, mostBytes, added }: HomeTotalDeps): HomeTotal {
  const file = join(home, fileName)
  let base: { readonly bytes: number; readonly added: number; readonly at: number } | null = null
  let measuring: Promise<void> | null = null

  async function measure(isWaitedFor: boolean): Promise<void> {
    const before = added()
    const isThere = existsSync(home)
    const { bytes } = await measureHome(home, Number.POSITIVE_INFINITY, { isWaitedFor })
    base = { bytes, added: before, at: Date.now() }
    // One that was removed meanwhile stays removed.
    if (!isThere) makeDirectories(home, 0o700)
    writeFileSync(file, String(bytes), { mode: 0o600 })
  }

  function measureOnce(isWaitedFor: boolean): Promise<void> {
    measuring ??= measure(isWaitedFor)
      // There is no home yet, or no room to write down what it takes.
      .catch(() => {})
      .finally(() => {
        measuring = null
      })
    return measuring
  }

  return {
    mostBytes,
    used() {
      base ??= remembered(file)
      if (Date.now() - base.at > measuredForMs) measureOnce(false)
      return base.bytes + added() - base.added
    },
    async refresh() {
      if (base && Date.now() - base.at < refusedForMs) return
      await measureOnce(true)
    },
  }
}

function remembered(file: string) {
  try {
    return { bytes: Number(readFileSync(file, "utf8")) || 0, added: 0, at: statSync(file).mtimeMs }
  } catch {
    return { bytes: 0, added: 0, at: 0 }
  }
}
