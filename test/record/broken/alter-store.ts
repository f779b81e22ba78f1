import type { RecordReader, RecordStore, SessionRecord } from "../../../src/store/index.ts"

/** A store with one flaw, and the checks that must notice it. */
export interface BrokenStore {
  readonly flaw: string
  readonly caughtBy: readonly string[]
  breakStore(good: RecordStore): RecordStore
}

export type Change<Part> = (good: Part) => Partial<Part>

/** The same store with other sessions and readers. */
export function alter(
  good: RecordStore,
  changes: {
    readonly store?: Change<RecordStore>
    readonly session?: Change<SessionRecord>
    readonly reader?: Change<RecordReader>
  },
): RecordStore {
  const changed = <Part extends object>(part: Part, change?: Change<Part>): Part =>
    Object.create(part, Object.getOwnPropertyDescriptors(change?.(part) ?? {}))
  const altered: RecordStore = changed(good, (store) => ({
    open: async (name, options) => {
      const session = await store.open(name, options)
      return changed(changed<SessionRecord>(session, changes.reader as never), changes.session)
    },
    read: async (name) => {
      const reader = await store.read(name)
      return reader && changed(reader, changes.reader)
    },
  }))
  return changed(altered, changes.store)
}

export const storing = (change: Change<RecordStore>) => (good: RecordStore) =>
  alter(good, { store: change })
