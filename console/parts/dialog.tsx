import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly class?: string
}

/** A modal dialog for as long as it is drawn. Escape and a press beside it close it. */
export function Dialog({ title, onClose, children, class: look = "" }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before anything else is typed: it belongs to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={look}
      aria-labelledby={id}
      onClose={onClose}
      {...{ closedby: "any" }}
    >
      <div class="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
