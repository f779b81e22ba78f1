import type { ComponentChildren } from "preact"

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly children: ComponentChildren
}

/** A label with its field below it. */
export function Field({ label, hint, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is among the children.
    <label class="field">
      <span class="label">{label}</span>
      {children}
      {hint !== undefined && <span class="quiet hint">{hint}</span>}
    </label>
  )
}
