import { printable } from "../../../src/kit/mark-unseen.ts"

/** Text from a tool, a model or a file: as text only, with a mark for each character that would hide or turn something. */
export function ShownText({ text }: { readonly text: string }) {
  return <>{printable(text)}</>
}

/** A value as JSON, with the same marks. */
export function ShownJson({ value }: { readonly value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <pre class="json" tabIndex={0}>
      <ShownText text={JSON.stringify(value, null, 2) ?? "nothing"} />
    </pre>
  )
}
