import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"

interface FoldProps {
  readonly summary: ComponentChildren
  readonly children: () => ComponentChildren
  readonly isOpen?: boolean
  readonly onOpen?: () => unknown
  readonly look?: string
}

/** What is in it is drawn only while it is open. */
export function Fold({ summary, children, isOpen = false, onOpen, look }: FoldProps) {
  const open = useSignal(isOpen)
  return (
    <details
      class={look}
      open={open.value}
      onToggle={(event) => {
        open.value = event.currentTarget.open
        if (open.value) onOpen?.()
      }}
    >
      <summary>{summary}</summary>
      {open.value && children()}
    </details>
  )
}
