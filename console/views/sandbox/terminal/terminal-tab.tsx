import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { failureText } from "../../../parts/action.tsx"
import { whyNotNow } from "../../../state/client.ts"
import type { SandboxPlace } from "../sandbox-facts.ts"
import { openScreen } from "./open-screen.ts"

type State =
  | { readonly kind: "opening" }
  | { readonly kind: "open" }
  | { readonly kind: "ended"; readonly how: string }

/** A shell inside the sandbox, for as long as the tab is shown. */
export function TerminalTab({ session, sandbox }: SandboxPlace) {
  const element = useRef<HTMLDivElement>(null)
  const state = useSignal<State>({ kind: "opening" })
  const opened = useSignal(0)
  useEffect(() => {
    const host = element.current
    if (!host) return
    const closing = new AbortController()
    state.value = { kind: "opening" }
    openScreen({
      ...{ session, sandbox, host, signal: closing.signal },
      onOpen: () => {
        state.value = { kind: "open" }
      },
    }).then(
      (how) => {
        state.value = { kind: "ended", how }
      },
      (error: unknown) => {
        if (!closing.signal.aborted) state.value = { kind: "ended", how: failureText(error) }
      },
    )
    return () => closing.abort()
  }, [session, sandbox, opened.value])
  return (
    <section aria-label="Terminal">
      <div class="row bar" role="status">
        {state.value.kind === "opening" && "Opening a terminal"}
        {state.value.kind === "open" && (
          <span class="quiet">A shell in this sandbox. It ends when you leave this tab.</span>
        )}
        {state.value.kind === "ended" && (
          <>
            <span>{state.value.how}</span>
            <button
              type="button"
              disabled={whyNotNow() !== undefined}
              title={whyNotNow()}
              onClick={() => {
                opened.value += 1
              }}
            >
              Open another
            </button>
          </>
        )}
      </div>
      <div class="terminal" ref={element} />
    </section>
  )
}
