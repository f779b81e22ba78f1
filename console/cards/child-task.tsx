import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { openRecord, type SessionRecord } from "../state/record/record.ts"
import { CardView } from "./card.tsx"

/** Cards of a task that are shown here; all are in its own view. */
const shownCards = 30

/** A task that a call started: its cards below the call, when they are opened. */
export function ChildTask({ session }: { readonly session: string }) {
  const isOpen = useSignal(false)
  return (
    <details class="child" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <TaskLink session={session} />
      </summary>
      {isOpen.value && <ChildCards session={session} />}
    </details>
  )
}

export function TaskLink({ session }: { readonly session: string }) {
  return (
    <span>
      Task <a href={`/s/${encodeURIComponent(session)}`}>{session}</a>
    </span>
  )
}

function ChildCards({ session }: { readonly session: string }) {
  const record = useSignal<SessionRecord | null>(null)
  useEffect(() => {
    const opened = openRecord(session, "pages")
    record.value = opened
    return () => opened.close()
  }, [session])
  const { value: opened } = record
  if (!opened) return null
  const state = opened.state.value
  if (state.kind === "failed") return <p role="alert">{state.why}</p>
  const ids = opened.ids.value.slice(-shownCards)
  return (
    <ol class="cards">
      {ids.map((id) => {
        const card = opened.card(id)
        return (
          card && (
            <li key={id}>
              <CardView card={card} output={opened.output} session={session} />
            </li>
          )
        )
      })}
    </ol>
  )
}
