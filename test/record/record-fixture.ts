import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { ownerOf } from "../../src/node/index.ts"
import { openRecord, type RecordStore } from "../../src/store/index.ts"
import type { RecordProcess } from "../../src/testing/index.ts"

/** A directory for one test. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-record-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** One SQLite file, opened each time for another process, which really runs. */
export function sqliteFile(
  file: string,
  change: (store: RecordStore) => RecordStore = (store) => store,
): () => Promise<RecordProcess> {
  return async () => {
    const process = spawn("sleep", ["100000"])
    await once(process, "spawn")
    const store = change(await openRecord({ file, owner: ownerOf(process.pid ?? 0) }))
    const kill = async () => {
      if (process.exitCode !== null || process.signalCode !== null) return
      const exited = once(process, "exit")
      process.kill("SIGKILL")
      await exited
    }
    const bytes = async () =>
      ["", "-wal"].reduce(
        (sum, end) => sum + (statSync(file + end, { throwIfNoEntry: false })?.size ?? 0),
        0,
      )
    return { store, kill, bytes }
  }
}
