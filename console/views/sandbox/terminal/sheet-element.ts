/**
 * What xterm uses in the place of style elements, which the page's policy refuses: its text is a sheet that a script
 * constructs, for as long as the element is in the page. vite.config.ts puts its name into xterm's source.
 */
class SheetElement extends HTMLElement {
  readonly #sheet = new CSSStyleSheet()

  override get textContent(): string {
    return ""
  }

  override set textContent(text: string) {
    this.#sheet.replaceSync(text)
  }

  connectedCallback(): void {
    document.adoptedStyleSheets.push(this.#sheet)
  }

  disconnectedCallback(): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== this.#sheet)
  }
}

export function defineSheetElement(): void {
  if (!customElements.get("toolkeep-sheet")) customElements.define("toolkeep-sheet", SheetElement)
}
