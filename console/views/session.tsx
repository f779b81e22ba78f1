import { useSignal, useSignalEffect } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { CardView } from "../cards/card.tsx"
import { openRecord, type SessionRecord } from "../state/record.ts"

/** The cards of one session, from the newest page on. */
export function SessionView({ session }: { readonly session: string }) {
  const record = useSignal<SessionRecord | null>(null)
  useEffect(() => {
    const opened = openRecord(session)
    record.value = opened
    return () => opened.close()
  }, [session])
  return (
    <>
      <h1>{session}</h1>
      {record.value && <Cards record={record.value} session={session} />}
    </>
  )
}

function Cards({ record, session }: { readonly record: SessionRecord; readonly session: string }) {
  const state = record.state.value
  useSignalEffect(() => void record.ids.value)
  if (state.kind === "loading") return <p aria-busy="true">Loading</p>
  if (state.kind === "failed") return <p role="alert">{state.why}</p>
  return (
    <>
      {state.hasEarlier && (
        <button type="button" onClick={() => void record.loadEarlier()}>
          Earlier
        </button>
      )}
      <ol class="cards">
        {record.ids.value.map((id) => {
          const card = record.card(id)
          return (
            card && (
              <li key={id}>
                <CardView card={card} output={record.output(id)} session={session} />
              </li>
            )
          )
        })}
      </ol>
      {record.ids.value.length === 0 && <p class="empty">No call yet.</p>}
    </>
  )
}
