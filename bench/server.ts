import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openConsole } from "../test/console/console-fixture.ts"
import type { BenchRow, BenchSuite } from "./harness/bench-row.ts"
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
    await using fixture = await openConsole("", [], null)
    const figures: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
      "first load": async () => firstLoad(),
      "a call over HTTP": async () => [await httpCall(fixture)],
      "ready to serve": async () => [await upReady()],
      effects: async () => [await effects(directory)],
      "live output": () => pageOutput(fixture),
      "a long session": () => longPage(fixture),
      "many streams": () => manyStreams(fixture),
      idle: () => idle(fixture),
    }
    const rows: BenchRow[] = []
    for (const [name, measure] of Object.entries(figures)) {
      // They take minutes together.
      console.error(`measuring: server, ${name}`)
      rows.push(...(await measure()))
    }
    return rows
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
