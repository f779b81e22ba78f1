import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bubblewrapHost } from "../src/sandbox/index.ts"
import type { BenchSuite } from "./harness/bench-row.ts"
import { fetchPage } from "./tools/fetch-page.ts"
import { readMiddle } from "./tools/read-middle.ts"
import { searchMemory } from "./tools/search-memory.ts"

/** The figures of the tools, each against what a person would use for the same thing. */
export const suite: BenchSuite = async () => {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-bench-"))
  // Sandboxes run as users of their own, and walk through it.
  await chmod(directory, 0o755)
  const host = bubblewrapHost({ directory })
  try {
    return [...(await readMiddle(host)), ...(await fetchPage()), ...(await searchMemory())]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
