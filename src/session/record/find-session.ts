import { ToolFailure } from "../../contract/index.ts"
import { nearest } from "../../kit/index.ts"
import type { RecordedSession, RecordStore } from "../../store/index.ts"

/** A session and all its children, the latest first; nothing when there is no such session. */
export async function familyOf(
  store: RecordStore,
  name: string,
): Promise<readonly RecordedSession[]> {
  const session = await (await store.read(name))?.session()
  const family: RecordedSession[] = session ? [session] : []
  for (const one of family) {
    family.push(...(await store.sessions({ parent: one.id, limit: Number.MAX_SAFE_INTEGER })))
  }
  return family.toSorted((a, b) => b.updatedAt - a.updatedAt)
}

/** Names the session of the store that may have been meant. */
export async function noSuchSession(store: RecordStore | null, name: string): Promise<ToolFailure> {
  const names = ((await store?.sessions()) ?? []).map((session) => session.name)
  const meant = nearest(name, names)
  const hint = meant === null ? "" : ` Did you mean ${JSON.stringify(meant)}?`
  return new ToolFailure({
    kind: "not_found",
    message: `There is no recorded session ${JSON.stringify(name)}.${hint}`,
  })
}
