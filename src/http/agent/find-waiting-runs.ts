import { readRun } from "../../agent/index.ts"
import { isDead } from "../../node/index.ts"
import type { RecordedSession, RecordStore } from "../../store/index.ts"

export interface WaitingRun {
  readonly session: string
  /** Its own and those of its tasks. */
  readonly questions: readonly { readonly id: string }[]
}

/** Runs that wait for an answer and that no process works on any more, of those that `by` has started. */
export async function findWaitingRuns(
  store: RecordStore,
  by: string,
): Promise<readonly WaitingRun[]> {
  const sessions = await store.sessions({ limit: Number.MAX_SAFE_INTEGER })
  const waiting = sessions.filter(({ state }) => state === "waiting")
  const found: WaitingRun[] = []
  for (const session of waiting.filter((one) => one.parent === null && isFree(one))) {
    const reader = await store.read(session.name)
    const run = reader && (await readRun(reader))
    if (!run || run.end !== null || run.start.by !== by) continue
    const family = waiting.filter((one) => rootOf(one, sessions) === session)
    const readers = await Promise.all(family.map(({ name }) => store.read(name)))
    const questions = await Promise.all(readers.map((one) => one?.openQuestions() ?? []))
    // Without a question, nothing would ever wake it.
    if (questions.flat().length > 0) {
      found.push({ session: session.name, questions: questions.flat() })
    }
  }
  return found
}

function isFree({ owner }: RecordedSession): boolean {
  return owner === null || isDead(owner)
}

function rootOf(session: RecordedSession, all: readonly RecordedSession[]): RecordedSession {
  const parent = all.find(({ id }) => id === session.parent?.session)
  return parent ? rootOf(parent, all) : session
}
