import type { Signal } from "@preact/signals"

interface SearchBoxProps {
  readonly label: string
  readonly placeholder: string
  readonly wanted: Signal<string>
}

export function SearchBox({ label, placeholder, wanted }: SearchBoxProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={wanted.value}
      onInput={({ currentTarget }) => {
        wanted.value = currentTarget.value
      }}
    />
  )
}

/** Whether a text has each of the words that are searched for. */
export function hasWords(text: string, wanted: string): boolean {
  const whole = text.toLowerCase()
  const words = wanted.toLowerCase().split(/\s+/)
  return words.every((word) => whole.includes(word))
}
