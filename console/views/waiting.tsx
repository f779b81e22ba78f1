import { useLocation } from "preact-iso"
import { QuestionList } from "../cards/question/question-list.tsx"
import { Action } from "../parts/action.tsx"
import { askPermission, permission } from "../state/notifications.ts"
import { areQuestionsKnown, questions } from "../state/questions.ts"

/** All questions of all sessions, the oldest first. */
export function Waiting() {
  const { query } = useLocation()
  return (
    <>
      <h1>Waiting</h1>
      <NotifyMe />
      {questions.value.length === 0 && (
        <p class="empty" aria-busy={!areQuestionsKnown.value}>
          {areQuestionsKnown.value
            ? "Nothing waits. Questions"
            : "Looking for what waits. Questions"}{" "}
          of every agent come here.
        </p>
      )}
      <QuestionList focused={query.question} />
    </>
  )
}

function NotifyMe() {
  switch (permission.value) {
    case "default":
      return (
        <p>
          <Action onAct={askPermission}>Notify me of questions</Action>
        </p>
      )
    case "denied":
      return <p class="quiet">This browser was told not to show notifications of this page.</p>
    case "granted":
    case "missing":
      return null
    default:
      return permission.value satisfies never
  }
}
