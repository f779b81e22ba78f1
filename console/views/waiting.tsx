import { QuestionCard } from "../cards/question.tsx"
import { questions } from "../state/questions.ts"

/** All questions of all sessions, the oldest first. */
export function Waiting() {
  return (
    <>
      <h1>Waiting</h1>
      {questions.value.length === 0 && (
        <p class="empty">Nothing waits. Questions of every agent come here.</p>
      )}
      {questions.value.map((question) => (
        <QuestionCard key={question.question} question={question} />
      ))}
    </>
  )
}
