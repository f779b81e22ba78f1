import { useSignal } from "@preact/signals"
import { useLocation } from "preact-iso"
import { sessionPath } from "../../navigation/views.ts"
import { Field } from "../../parts/field.tsx"
import { Ask } from "./ask.tsx"
import { useModel } from "./model.ts"

/** Asks the model without going to a session first. */
export function AskNow() {
  const model = useModel()
  const { route } = useLocation()
  const session = useSignal("welcome")
  if (model === null) return null
  return (
    <section aria-labelledby="ask">
      <h2 id="ask">Ask a model</h2>
      {model.model !== null && (
        <div class="session-choice">
          <Field label="Session" hint="Its sandboxes, and what was said in it.">
            <input
              value={session.value}
              onChange={({ currentTarget }) => {
                session.value = currentTarget.value.trim() || "welcome"
              }}
            />
          </Field>
        </div>
      )}
      <Ask
        key={session.value}
        session={session.value}
        onStarted={() => route(sessionPath(session.value))}
      />
    </section>
  )
}
