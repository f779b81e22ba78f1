import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { CardView } from "../../cards/card.tsx"
import { sessionPath } from "../../navigation/views.ts"
import { openRecord, type SessionRecord } from "../../state/record.ts"

interface StartedCallProps {
  readonly session: string
  readonly call: string
}

/** The card of a call that was started here, as its session shows it. */
export function StartedCall({ session, call }: StartedCallProps) {
  const record = useSignal<SessionRecord | null>(null)
  useEffect(() => {
    const opened = openRecord(session)
    record.value = opened
    return () => opened.close()
  }, [session])
  const isThere = record.value?.ids.value.includes(call)
  const card = isThere ? record.value?.card(call) : undefined
  return (
    <section class="started-call" aria-label="The call">
      {card && record.value ? (
        <CardView card={card} output={record.value.output(call)} session={session} />
      ) : (
        <p aria-busy="true">The call was sent.</p>
      )}
      <a href={sessionPath(session)}>Show it in its session</a>
    </section>
  )
}
