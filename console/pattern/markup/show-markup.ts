import { sanitised } from "./sanitise.ts"
import { applySheets } from "./scoped-sheet.ts"

/** Puts sanitised markup into an element, with its styles. The returned function takes the styles away. */
export function showMarkup(element: HTMLElement, markup: string): () => void {
  const { fragment, sheets } = sanitised(markup)
  element.replaceChildren(fragment)
  return applySheets(element, sheets)
}
