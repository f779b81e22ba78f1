import { open } from "node:fs/promises"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { setTimeout as delay } from "node:timers/promises"
import { ToolFailure } from "../../contract/index.ts"
import { KeyedLock } from "../../kit/index.ts"
import { makeDirectories } from "../../node/index.ts"
import { storeLimits } from "../limits.ts"

import { isBusy, loadSqlite } from "../sqlite/sqlite.ts"

/** Within one process they wait in line. */
const lock = new KeyedLock()

/**
 * Waits until nobody else, in this or another process, changes a file; the returned function lets the
 * next one in. SQLite holds the lock, on a file of its own beside it, because the system then takes it
 * from a process that was killed, and no other lock of Node's has that.
 */
export async function lockFile(file: string): Promise<() => void> {
  const leave = await lock.acquire(file, "exclusive")
  try {
    const database = await lockDatabase(`${file}.lock`)
    return () => {
      database.close()
      leave()
    }
  } catch (error) {
    leave()
    throw error
  }
}

async function lockDatabase(file: string): Promise<DatabaseSync> {
  makeDirectories(dirname(file), 0o700)
  await (await open(file, "a", 0o600)).close()
  const { DatabaseSync } = loadSqlite()
  const database = new DatabaseSync(file, { timeout: 0 })
  const giveUpAt = performance.now() + storeLimits.fileLockMs
  for (;;) {
    try {
      database.exec("BEGIN EXCLUSIVE")
      return database
    } catch (error) {
      if (isBusy(error) && performance.now() < giveUpAt) {
        // At random, so that those who wait do not all ask at the same moment.
        await delay(1 + Math.random() * 10)
        continue
      }
      database.close()
      throw isBusy(error) ? inUse(file, error) : error
    }
  }
}

function inUse(file: string, cause: unknown): ToolFailure {
  const message = `Another Toolkeep process has locked ${file}. End that process, or try again in a moment.`
  return new ToolFailure({ kind: "unavailable", message }, { cause })
}
