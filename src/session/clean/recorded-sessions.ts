import { join } from "node:path"
import { directoryName } from "../directory-name.ts"
import { openHomeRecord } from "../record/home-record.ts"

export interface RecordedSessions {
  /** When something was last recorded of the session whose directory this is; 0 when nothing was. */
  lastUse(path: string): number
  /** The sessions without a parent of which nothing was recorded since, nor of their children. */
  unused(since: number): readonly UnusedSession[]
  remove(name: string): Promise<void>
  close(): Promise<void>
}

interface UnusedSession {
  readonly name: string
  /** The directory of its sandboxes, which may not exist. */
  readonly path: string
  readonly usedMs: number
}

/** What a home's record says about the use of sessions; null where there is none that can be read. */
export async function openRecordedSessions(home: string): Promise<RecordedSessions | null> {
  const store = await openHomeRecord(home).catch(() => null)
  const all = await store?.sessions({ limit: Number.MAX_SAFE_INTEGER }).catch(() => null)
  if (!store || !all) {
    await store?.close()
    return null
  }
  const uses = new Map<string, number>()
  const byId = new Map(all.map((session) => [session.id, session]))
  for (const session of all) {
    // A parent is used when a child is.
    for (let one = byId.get(session.id); one; one = byId.get(one.parent?.session ?? "")) {
      uses.set(one.name, Math.max(uses.get(one.name) ?? 0, session.updatedAt))
    }
  }
  const pathOf = (name: string) => join(home, "sessions", directoryName(name))
  const byPath = new Map([...uses].map(([name, usedMs]) => [pathOf(name), usedMs]))
  return {
    lastUse: (path) => byPath.get(path) ?? 0,
    unused: (since) =>
      all
        .filter(({ parent }) => parent === null)
        .map(({ name }) => ({ name, path: pathOf(name), usedMs: uses.get(name) ?? 0 }))
        .filter(({ usedMs }) => usedMs <= since),
    async remove(name) {
      await store.remove(name)
    },
    close: () => store.close(),
  }
}
