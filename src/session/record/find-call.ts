import { isObject } from "../../contract/index.ts"
import { newestFirst, type RecordEntry, type RecordReader } from "../../store/index.ts"
import type { CallEntries } from "./call-entries.ts"

/** What the record has about one call. */
export interface FoundCall {
  readonly call: CallEntries["call"]
  /** Its end; null where it has none. */
  readonly end: CallEntries["envelope"] | null
  /** The entry of what it did, where somebody looked. */
  readonly effects: RecordEntry | null
}

/** The latest call with this id; null where there is none. */
export async function findCall(reader: RecordReader, id: string): Promise<FoundCall | null> {
  let end: FoundCall["end"] = null
  let effects: FoundCall["effects"] = null
  for await (const entry of newestFirst(reader)) {
    const { kind, body } = entry
    if (!isObject(body) || body.call !== id) continue
    if (kind === "envelope") end ??= body as CallEntries["envelope"]
    if (kind === "call-effects") effects ??= entry
    if (kind === "call") return { call: body as CallEntries["call"], end, effects }
  }
  return null
}
