import { storeAddress } from "../../config/index.ts"
import { createHomeRecord, openHomeRecord, toolkeepHome } from "../../session/index.ts"
import type { RecordStore } from "../../store/index.ts"
import type { Arguments } from "./command.ts"
import { readPolicy } from "./open-session.ts"

/** The record that the configuration names, or that of the home; null where nothing was recorded yet. */
export async function openStore(given: Arguments): Promise<RecordStore | null> {
  return openHomeRecord(toolkeepHome(), await addressOf(given))
}

/** The same, created if missing. */
export async function createStore(given: Arguments): Promise<RecordStore> {
  return createHomeRecord(toolkeepHome(), await addressOf(given))
}

async function addressOf(given: Arguments): Promise<string | null> {
  return storeAddress(await readPolicy(given), process.env)
}
