import { isTyping } from "../state/keys.ts"

/** Fields that a person has changed. */
const touched = new Set<HTMLInputElement | HTMLTextAreaElement>()

/** Notes what is typed, for as long as the page is there. */
export function noteTyping(): void {
  document.addEventListener(
    "input",
    ({ target }) => {
      const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
      if (isField && target.type !== "range") touched.add(target)
    },
    true,
  )
}

/** Whether something would be lost with the page: a field in use, a text that was typed, or an open dialog. */
export function hasTyped(): boolean {
  for (const field of touched) if (!field.isConnected || field.value === "") touched.delete(field)
  const { activeElement } = document
  return (
    touched.size > 0 || isTyping(activeElement) || document.querySelector("dialog[open]") !== null
  )
}
