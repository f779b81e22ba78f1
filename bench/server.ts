import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openConsole } from "../test/console/console-fixture.ts"
import type { BenchSuite } from "./harness/bench-row.ts"
import { effects } from "./server/effects.ts"
import { firstLoad } from "./server/first-load.ts"
import { httpCall } from "./server/http-call.ts"
import { idle } from "./server/idle.ts"
import { longPage } from "./server/long-page.ts"
import { manyStreams } from "./server/many-streams.ts"
import { pageOutput } from "./server/page-output.ts"
import { upReady } from "./server/up-ready.ts"

/** The figures of the server that people leave open. */
export const suite: BenchSuite = async () => {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-bench-"))
  // Sandboxes run as users of their own, and walk through it.
  await chmod(directory, 0o755)
  try {
    await using fixture = await openConsole()
    return [
      ...firstLoad(),
      await httpCall(fixture),
      await upReady(),
      await effects(directory),
      ...(await pageOutput(fixture)),
      ...(await longPage(fixture)),
      ...(await manyStreams(fixture)),
      ...(await idle(fixture)),
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
