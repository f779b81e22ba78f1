import { execFile } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"
import { longSession, writeLongSession } from "./long-session.ts"
import { openToFirstRequest } from "./open-to-first-request.ts"

const run = promisify(execFile)

/** Opening a session after a very long run, up to the request that its context is built for. */
export async function openLong(directory: string): Promise<readonly BenchRow[]> {
  const home = mkdtempSync(join(directory, "long-"))
  const file = join(home, "record.sqlite")
  await writeLongSession(file)
  const readAll = () => {
    using database = new DatabaseSync(file, { readOnly: true })
    const rows = database.prepare(
      "SELECT entries.*, blobs.body AS large FROM entries LEFT JOIN blobs ON blobs.hash = entries.blob",
    )
    let count = 0
    for (const _ of rows.iterate()) count += 1
    if (count < longSession.entries * 0.99) throw new Error(`There are ${count} rows.`)
  }
  const memory = join(import.meta.dirname, "measure-memory.ts")
  const { stdout } = await run(process.execPath, [memory, home])
  const entries = longSession.entries.toLocaleString("en")
  return [
    {
      id: "session-open",
      what: `time of opening a session of ${entries} entries with 250 MB of output and building its context, against reading all rows`,
      value: await measureTimeRatio(() => openToFirstRequest(home), readAll, { rounds: 11 }),
      ...{ bar: 0.2, aim: 0.1, better: "lower" },
    },
    {
      id: "session-open-memory",
      what: "the same: memory that it takes (MiB)",
      value: Number(stdout) / 2 ** 20,
      ...{ bar: 64, aim: 32, better: "lower" },
    },
  ]
}
