import type { ComponentChildren } from "preact"

/** What may be wider than the page, such as a table. It can be scrolled by keyboard too. */
export function Scroll({
  label,
  children,
}: {
  readonly label: string
  readonly children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
