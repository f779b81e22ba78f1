import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BenchSuite } from "./harness/bench-row.ts"
import { append } from "./session/append.ts"
import { loop } from "./session/loop.ts"
import { openLong } from "./session/open-long.ts"
import { recordedCall, recordedExec, recordedMcp } from "./session/recorded-calls.ts"
import { runStart } from "./session/run-start.ts"

/** The figures of recorded sessions and of the agent that works in them, each against its reference in one run. */
export const suite: BenchSuite = async () => {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-bench-"))
  // Sandboxes run as users of their own, and walk through it.
  await chmod(directory, 0o755)
  try {
    return [
      await append(directory),
      await recordedCall(directory),
      await recordedExec(directory),
      await recordedMcp(),
      ...(await loop(directory)),
      ...(await openLong(directory)),
      await runStart(directory),
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
