import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { type CallCard, cardFrom } from "../../model/card.ts"
import { ShownJson, ShownText } from "../../parts/text/shown-text.tsx"
import type { Question, QuestionAnswer } from "../../state/questions.ts"
import { findCall } from "../../state/record/record.ts"
import { receiptAddress } from "../call.tsx"
import { answerText } from "../receipt/allowed.tsx"

interface OutcomeProps {
  readonly question: Question
  /** What was answered here; null when it was somebody else, or nobody. */
  readonly given: QuestionAnswer | null
}

const own: Readonly<Record<QuestionAnswer["answer"], string>> = {
  approve: "You approved it.",
  always: "You approved it for the whole session.",
  deny: "You denied it.",
  edit: "You approved it with other arguments.",
  say: "You answered.",
}

/** How a question ended, in the place of its buttons. */
export function Outcome({ question, given }: OutcomeProps) {
  const { session, call } = question
  return (
    <div class="answer-form" role="status">
      <p>
        {given ? own[given.answer] : <OthersAnswer question={question} />}{" "}
        <a href={receiptAddress(session, call)}>Receipt</a>
      </p>
      {given?.input !== undefined && (
        <div>
          <p class="quiet">Runs with these arguments:</p>
          <ShownJson value={given.input} />
        </div>
      )}
    </div>
  )
}

/** Who was first, from the record. */
function OthersAnswer({ question: { session, call } }: { readonly question: Question }) {
  const found = useSignal<CallCard | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    const look = async () => {
      const entries = await findCall(session, call, ended.signal)
      const card = entries.length > 0 ? cardFrom(call, entries) : null
      if (card?.kind === "call") found.value = card
    }
    // What is not recorded is not known here either.
    look().catch(() => {})
    return () => ended.abort()
  }, [session, call])
  const answer = found.value?.asked.at(-1)?.answer
  if (answer) return <ShownText text={`${answerText(answer)}.`} />
  const end = found.value?.end?.envelope
  if (end && !end.ok) return <ShownText text={end.message} />
  return <>It does not wait any more.</>
}
