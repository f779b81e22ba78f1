import { QuestionCard } from "../cards/question.tsx"
import { Clock } from "../parts/time.tsx"
import { questions } from "../state/questions.ts"
import { type SessionFacts, sessions } from "../state/sessions.ts"

/** What waits, what runs, and the sessions by their last activity. */
export function Now() {
  const all = sessions.value
  const running = all.filter(({ state }) => state === "running")
  const others = all.filter(({ state }) => state !== "running")
  return (
    <>
      <h1>Now</h1>
      {questions.value.map((question) => (
        <QuestionCard key={question.question} question={question} />
      ))}
      <SessionList title="Running" sessions={running} />
      <SessionList title="Sessions" sessions={others} />
      {all.length === 0 && <p class="empty">No session yet.</p>}
    </>
  )
}

interface SessionListProps {
  readonly title: string
  readonly sessions: readonly SessionFacts[]
}

function SessionList({ title, sessions: shown }: SessionListProps) {
  if (shown.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <ul class="sessions">
        {shown.map(({ name, state, updated_ms, head }) => (
          <li key={name}>
            <a href={`/s/${encodeURIComponent(name)}`}>{name}</a>
            <span class={`state ${state}`}>{state}</span>
            <span class="quiet">{head} entries</span>
            <Clock ms={updated_ms} />
          </li>
        ))}
      </ul>
    </section>
  )
}
