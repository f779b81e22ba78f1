import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { Clock } from "../parts/time.tsx"
import { isStopping, page, reload, servedVersion } from "../state/client.ts"
import { catchingUp } from "../state/record/record.ts"
import { hasTyped } from "./typed.ts"

/** What a person must know about the page itself; nothing while it is live and current. */
export function PageStatus() {
  const state = page.value
  return (
    <div class="page-statuses">
      {state.kind === "offline" ? (
        <p class="page-status" role="status">
          Offline since <Clock ms={state.sinceMs} />. What is shown stays readable, and the page
          catches up by itself.
        </p>
      ) : (
        <>
          {isStopping.value && (
            <p class="page-status" role="status">
              The server is stopping. Calls that run have a few seconds to end.
            </p>
          )}
          <CatchingUp />
          <NewerServer />
        </>
      )}
    </div>
  )
}

function CatchingUp() {
  const behind = catchingUp.value
  if (behind === 0) return null
  return (
    <p class="page-status" role="status">
      Catching up ({behind} {behind === 1 ? "event" : "events"})
    </p>
  )
}

/** A reload loses what is being typed: it comes by itself where nothing is, and is offered otherwise. */
function NewerServer() {
  const isTyped = useSignal(true)
  const { atLoad, now } = servedVersion.value
  const isNewer = atLoad !== now
  useEffect(() => {
    if (!isNewer) return
    const look = () => {
      isTyped.value = hasTyped()
      if (!isTyped.value) reload()
    }
    const later = () => queueMicrotask(look)
    look()
    const events = ["input", "focusin", "focusout", "close"] as const
    for (const name of events) document.addEventListener(name, later, true)
    return () => {
      for (const name of events) document.removeEventListener(name, later, true)
    }
  }, [isNewer])
  if (!isNewer || !isTyped.value) return null
  return (
    <p class="page-status" role="status">
      The server is now version {now}, and this page is of version {atLoad}. It reloads when nothing
      is being typed.{" "}
      <button type="button" onClick={reload}>
        Reload
      </button>
    </p>
  )
}
