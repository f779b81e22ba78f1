import type { ParkedQuestion } from "../../agent/index.ts"
import type { RecordedSession, RecordStore } from "../../store/index.ts"

/** A question of a run that nobody has answered. */
export interface OpenQuestion {
  readonly id: string
  readonly askedAt: number
  readonly question: ParkedQuestion
  /** The session in which it was asked. */
  readonly session: RecordedSession
  /** The session of the run that it belongs to, which differs for a question of a task. */
  readonly root: RecordedSession
}

/** Those of all sessions, the oldest first. */
export async function openQuestions(store: RecordStore): Promise<readonly OpenQuestion[]> {
  const sessions = await store.sessions({ limit: Number.MAX_SAFE_INTEGER })
  const byId = new Map(sessions.map((session) => [session.id, session]))
  const rootOf = (session: RecordedSession): RecordedSession => {
    const parent = session.parent ? byId.get(session.parent.session) : undefined
    return parent ? rootOf(parent) : session
  }
  const found: OpenQuestion[] = []
  for (const session of sessions) {
    const questions = (await (await store.read(session.name))?.openQuestions()) ?? []
    for (const { id, askedAt, body, answer } of questions) {
      if (answer !== null) continue
      const question = body as ParkedQuestion
      found.push({ id, askedAt, question, session, root: rootOf(session) })
    }
  }
  return found.sort((one, other) => one.askedAt - other.askedAt)
}
