import type { RecordEntry, RecordedSession } from "../../store/index.ts"
import { type ApiDeps, openSession } from "./handler.ts"

export function describeEntry({ sequence, parent, kind, at, body }: RecordEntry) {
  return { sequence, parent, kind, at_ms: at, body }
}

/** Parents by name: their ids are the record's own. */
export async function describeSessions(
  deps: ApiDeps,
  sessions: readonly RecordedSession[],
): Promise<SessionDescription[]> {
  const names = new Map(sessions.map(({ id, name }) => [id, name]))
  const isMissing = sessions.some(({ parent }) => parent && !names.has(parent.session))
  const all = isMissing ? await deps.store.sessions({ limit: Number.MAX_SAFE_INTEGER }) : []
  for (const { id, name } of all) names.set(id, name)
  return sessions.map(({ name, parent, state, head, createdAt, updatedAt }) => ({
    ...{ name, parent: parent ? (names.get(parent.session) ?? null) : null, state, head },
    is_open: openSession(deps, name) !== undefined,
    ...{ created_ms: createdAt, updated_ms: updatedAt },
  }))
}

interface SessionDescription {
  readonly name: string
  readonly parent: string | null
  readonly state: RecordedSession["state"]
  readonly is_open: boolean
  readonly head: number
  readonly created_ms: number
  readonly updated_ms: number
}
