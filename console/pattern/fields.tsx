import { type ComponentChildren, h } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import type { PlainProp } from "./page-data.ts"
import { type Events, plainProps } from "./safe-elements.ts"

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

export function isField(tag: string): boolean {
  return tag === "input" || tag === "textarea" || tag === "select"
}

interface FieldProps {
  readonly tag: string
  readonly props: Readonly<Record<string, PlainProp>>
  readonly events: Events
  readonly children?: ComponentChildren
}

/**
 * A field whose text belongs to the person: the server's value is put into it when that changes, and not before the page
 * shows what came of all that was typed so far.
 */
export function Field({ tag, props, events, children }: FieldProps) {
  const { value, checked, ...others } = props
  const field = useRef<Input>(null)
  const unanswered = useRef(0)
  const coming = useRef<PlainProp | undefined>(undefined)
  const show = () => {
    if (unanswered.current > 0 || coming.current === undefined || !field.current) return
    setValue(field.current, String(coming.current))
    coming.current = undefined
  }
  useLayoutEffect(() => {
    coming.current = value
    show()
  }, [value])
  useLayoutEffect(() => {
    if (field.current instanceof HTMLInputElement && checked !== undefined) {
      field.current.checked = checked === true
    }
  }, [checked])
  const listening = Object.entries(events).map(([name, listen]) => {
    const send = async (event: Event) => {
      unanswered.current += 1
      await listen(event)
      unanswered.current -= 1
      show()
    }
    return [name, send] as const
  })
  return h(
    tag,
    { ...plainProps(tag, others), ...Object.fromEntries(listening), ref: field },
    children,
  )
}

function setValue(field: Input, value: string): void {
  if (field.value === value) return
  if (field instanceof HTMLSelectElement || document.activeElement !== field) {
    field.value = value
    return
  }
  const { selectionStart, selectionEnd } = field
  field.value = value
  if (selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd)
}

/** One line that is sent with Enter, and is empty then. */
export function CommonInput({ props, events }: Pick<FieldProps, "props" | "events">) {
  const { name = "", placeholder = "", value = "", ...others } = props
  const { onSubmit, ...more } = events
  const submit = (event: Event) => {
    event.preventDefault()
    void onSubmit?.(event)
    if (event.currentTarget instanceof HTMLFormElement) event.currentTarget.reset()
  }
  return (
    <form class="common-input" onSubmit={submit} {...plainProps("form", others)}>
      <Field
        tag="input"
        props={{ type: "text", name, placeholder, value, "aria-label": labelOf(props) }}
        events={more}
      />
    </form>
  )
}

function labelOf({ name, placeholder }: FieldProps["props"]): string {
  return String(name || placeholder || "Text").trim() || "Text"
}
