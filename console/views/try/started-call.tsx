import { useComputed } from "@preact/signals"
import { CardView } from "../../cards/card.tsx"
import { sessionPath } from "../../navigation/views.ts"
import { useRecord } from "../../state/record/use-record.ts"
import { sessions } from "../../state/sessions.ts"

interface StartedCallProps {
  readonly session: string
  readonly call: string
}

/** The card of a call that was started here, as its session shows it. */
export function StartedCall({ session, call }: StartedCallProps) {
  // A session that is new has no record before its first call has one.
  const isRecorded = useComputed(() => sessions.value.some(({ name }) => name === session))
  const record = useRecord(session, isRecorded.value)
  const isThere = record?.ids.value.includes(call)
  const card = isThere ? record?.card(call) : undefined
  return (
    <section class="started-call" aria-label="The call">
      {card && record ? (
        <CardView card={card} output={record.output} session={session} />
      ) : (
        <p aria-busy="true">The call was sent.</p>
      )}
      <a href={sessionPath(session)}>Show it in its session</a>
    </section>
  )
}
