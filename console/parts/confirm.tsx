import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { whyNotNow } from "../state/client.ts"
import { Action } from "./action.tsx"
import { Dialog } from "./dialog.tsx"

interface ConfirmProps {
  /** What the button says, here and in the dialog. */
  readonly label: string
  readonly title: string
  readonly children: ComponentChildren
  readonly onAct: () => Promise<unknown>
}

/** A button for what can't be undone: a dialog says what is lost, and asks. */
export function Confirm({ label, title, children, onAct }: ConfirmProps) {
  const isOpen = useSignal(false)
  const close = () => {
    isOpen.value = false
  }
  const why = whyNotNow()
  return (
    <>
      <button
        type="button"
        class="danger"
        disabled={why !== undefined}
        title={why}
        onClick={() => {
          isOpen.value = true
        }}
      >
        {label}
      </button>
      {isOpen.value && (
        <Dialog title={title} onClose={close}>
          <p>{children}</p>
          <footer class="row">
            <button type="button" onClick={close}>
              Cancel
            </button>
            <Action look="danger" onAct={() => onAct().then(close)}>
              {label}
            </Action>
          </footer>
        </Dialog>
      )}
    </>
  )
}
