import { Action } from "../parts/action.tsx"
import { ShownJson, ShownText } from "../parts/shown-text.tsx"
import { answer, type Question } from "../state/questions.ts"

/** A call that waits for a person. */
export function QuestionCard({ question }: { readonly question: Question }) {
  const { session, tool, text, input, rule } = question
  return (
    <article class="card question" data-question={question.question}>
      <header>
        <strong>{tool}</strong> in <a href={`/s/${encodeURIComponent(session)}`}>{session}</a>
      </header>
      <p>
        <ShownText text={text} />
      </p>
      {rule && (
        <p class="rule">
          <code>{rule.text}</code> {rule.because}
          {rule.line !== undefined && <span class="quiet"> line {rule.line}</span>}
        </p>
      )}
      <ShownJson value={input} />
      <footer>
        <Action look="main" onAct={() => answer(question, { answer: "approve" })}>
          Approve
        </Action>
        <Action look="danger" onAct={() => answer(question, { answer: "deny" })}>
          Deny
        </Action>
      </footer>
    </article>
  )
}
