import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { Clock } from "../parts/time.tsx"
import { page, reload, servedVersion } from "../state/client.ts"
import { isTyping } from "../state/keys.ts"

/** What a person must know about the page itself; nothing while it is live and current. */
export function PageStatus() {
  const state = page.value
  if (state.kind === "offline") {
    return (
      <p class="page-status" role="status">
        Offline since <Clock ms={state.sinceMs} />. What is shown stays readable, and the page
        catches up by itself.
      </p>
    )
  }
  return <NewerServer />
}

/** A reload loses what is being typed, so it is offered when nothing is. */
function NewerServer() {
  const isInField = useSignal(false)
  const { atLoad, now } = servedVersion.value
  useEffect(() => {
    const look = () => {
      isInField.value = isTyping(document.activeElement)
    }
    const left = () => queueMicrotask(look)
    look()
    document.addEventListener("focusin", look)
    document.addEventListener("focusout", left)
    return () => {
      document.removeEventListener("focusin", look)
      document.removeEventListener("focusout", left)
    }
  }, [])
  if (atLoad === now) return null
  return (
    <p class="page-status" role="status">
      The server is now version {now}, and this page is of version {atLoad}.{" "}
      {!isInField.value && (
        <button type="button" onClick={reload}>
          Reload
        </button>
      )}
    </p>
  )
}
