/** A question in a list, which stays in its place when it is answered: nothing moves under a pointer. */
export interface ListedQuestion<Question> {
  readonly question: Question
  /** Whether it still waits. */
  readonly isOpen: boolean
}

/** Answered questions that stay to be read. */
const mostAnswered = 20

/** The list with what waits now: new questions come at the end, answered ones stay. */
export function listQuestions<Question extends { readonly question: string }>(
  shown: readonly ListedQuestion<Question>[],
  waiting: readonly Question[],
): readonly ListedQuestion<Question>[] {
  const now = new Map(waiting.map((question) => [question.question, question]))
  const kept = shown.map(({ question }): ListedQuestion<Question> => {
    const current = now.get(question.question)
    now.delete(question.question)
    return current ? { question: current, isOpen: true } : { question, isOpen: false }
  })
  const added = [...now.values()].map((question) => ({ question, isOpen: true }))
  const surplus = kept.filter(({ isOpen }) => !isOpen).length - mostAnswered
  let dropped = 0
  const few = kept.filter(({ isOpen }) => {
    if (isOpen || dropped >= surplus) return true
    dropped += 1
    return false
  })
  return [...few, ...added]
}

/** How long a question must have been seen before a key answers it: a key meant for something else is older. */
const seenMs = 500

export function takesKeys(seenSinceMs: number | null, nowMs: number): boolean {
  return seenSinceMs !== null && nowMs - seenSinceMs >= seenMs
}
