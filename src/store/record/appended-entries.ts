import { noSuchParent } from "./record-failures.ts"
import { entryId } from "./record-rows.ts"
import type { NewEntry, RecordEntry, RecordHead } from "./record-store.ts"

/** An entry without a parent follows the entry before it. Entries are numbered from 1 without a gap. */
export function parentOf(parent: number | null | undefined, sequence: number): number | null {
  if (parent === undefined) return sequence - 1 || null
  const isEarlier = parent === null || (Number.isInteger(parent) && parent > 0 && parent < sequence)
  if (!isEarlier) throw noSuchParent(parent)
  return parent
}

/** Entries as they are read after they were appended behind the entry with the number `before`. */
export function appendedEntries(
  session: string,
  before: number,
  entries: readonly NewEntry[],
): readonly RecordEntry[] {
  return entries.map(({ kind, at, body, parent: given, isMilestone }, index) => {
    const sequence = before + index + 1
    const parent = parentOf(given, sequence)
    const entry = { id: entryId(session, sequence), sequence, parent, kind, at, body }
    return isMilestone ? { ...entry, isMilestone } : entry
  })
}

/** The last entry and the last milestone, after these were appended. */
export function headAfter(
  last: RecordHead,
  before: number,
  entries: readonly NewEntry[],
): RecordHead {
  const milestone = entries.findLastIndex((one) => one.isMilestone)
  return {
    entry: Math.max(last.entry, before + entries.length),
    milestone: Math.max(last.milestone, milestone < 0 ? 0 : before + milestone + 1),
  }
}
