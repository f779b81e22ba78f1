import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { whyNotNow } from "../state/client.ts"

interface ActionProps {
  readonly children: ComponentChildren
  readonly onAct: () => Promise<unknown>
  readonly look?: "main" | "danger" | "plain"
  readonly label?: string
}

/** A button that asks the server for something: it can't be pressed twice, and says why when it fails. */
export function Action({ children, onAct, look = "plain", label }: ActionProps) {
  const isBusy = useSignal(false)
  const problem = useSignal<string | null>(null)
  const why = whyNotNow()
  const act = async () => {
    isBusy.value = true
    problem.value = null
    try {
      await onAct()
    } catch (error) {
      problem.value = failureText(error)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <>
      <button
        type="button"
        class={look}
        title={why ?? label}
        aria-label={label}
        disabled={isBusy.value || why !== undefined}
        onClick={act}
      >
        {children}
      </button>
      {problem.value !== null && (
        <span class="problem" role="alert">
          {problem.value}
        </span>
      )}
    </>
  )
}

interface OnlineButtonProps {
  readonly children: ComponentChildren
  readonly onClick: () => void
  readonly class?: string
}

/** A button that leads to a request: it can't be pressed while the server is away, and says so. */
export function OnlineButton({ children, onClick, class: look }: OnlineButtonProps) {
  const why = whyNotNow()
  return (
    <button type="button" class={look} title={why} disabled={why !== undefined} onClick={onClick}>
      {children}
    </button>
  )
}

export function failureText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
