import { useSignal } from "@preact/signals"

interface CopyProps {
  readonly text: string
  /** What is copied, for those who can't see what the button is beside. */
  readonly what: string
}

export function Copy({ text, what }: CopyProps) {
  const outcome = useSignal<"copied" | "refused" | null>(null)
  const copy = async () => {
    outcome.value = await navigator.clipboard.writeText(text).then(
      () => "copied" as const,
      () => "refused" as const,
    )
  }
  return (
    <>
      <button type="button" aria-label={`Copy ${what}`} onClick={copy}>
        Copy
      </button>
      <span role="status" class="quiet">
        {outcome.value === "copied" && "Copied"}
        {outcome.value === "refused" && "Select the text and copy it yourself."}
      </span>
    </>
  )
}
