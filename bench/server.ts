import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BenchSuite } from "./harness/bench-row.ts"
import { effects } from "./server/effects.ts"

/** The figures of the server that people leave open. */
export const suite: BenchSuite = async () => {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-bench-"))
  // Sandboxes run as users of their own, and walk through it.
  await chmod(directory, 0o755)
  try {
    return [await effects(directory)]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
